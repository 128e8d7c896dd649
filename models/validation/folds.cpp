// SPDX-License-Identifier: Apache-2.0
#include "models/validation/folds.h"

#include "core/sha256.h"

namespace roofcast {

int FoldOf(std::string_view key) {
  int remainder = 0;
  for (const char digit : Sha256(key)) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    remainder = (remainder * 16 + value) % kFolds;
  }
  return remainder;
}

}  // namespace roofcast
