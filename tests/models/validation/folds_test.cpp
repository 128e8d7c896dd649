// SPDX-License-Identifier: Apache-2.0
#include "models/validation/folds.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace roofcast {

TEST_CASE("A fold is the SHA-256 of the key mod 5") {
  // python3 -c "import hashlib; print(int(hashlib.sha256(b'4096,4096').hexdigest(), 16) % 5)"
  CHECK(FoldOf("4096,4096") == 3);
  CHECK(FoldOf("8192,1024") == 1);
  CHECK(FoldOf("32,8,128") == 1);
}

TEST_CASE("Every fold gets some of many keys") {
  std::array<int, kFolds> counts{};
  for (int i = 0; i < 1000; ++i) ++counts.at(static_cast<std::size_t>(FoldOf(std::to_string(i))));
  for (const int count : counts) CHECK(count > 150);
}

}  // namespace roofcast
