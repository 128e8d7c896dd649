// SPDX-License-Identifier: Apache-2.0
// Any text as JSON. What is accepted is written and read back the same.
#include "core/json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  Json json;
  const auto text = fuzzing::TextOf(data, size);
  if (!fuzzing::Accepts([&] { json = ParseJson(text, "fuzz.json"); })) return 0;
  fuzzing::Require(ParseJson(FormatJson(json), "written") == json);
  fuzzing::Require(ParseJson(FormatJson(json, false), "written") == json);
  return 0;
}
