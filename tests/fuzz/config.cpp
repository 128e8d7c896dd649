// SPDX-License-Identifier: Apache-2.0
// Any text as a model's config.json.
#include "models/llm/config.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  const auto text = fuzzing::TextOf(data, size);
  fuzzing::Accepts([&] { ParseLlm(text, "fuzz", "fuzz.json"); });
  return 0;
}
