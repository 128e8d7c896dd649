// SPDX-License-Identifier: Apache-2.0
// Any text as a model described by hand, and as the arguments of Megatron-LM.
#include "models/llm/described/megatron.h"
#include "models/llm/described/spec.h"
#include "models/llm/parameters.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  const auto text = fuzzing::TextOf(data, size);
  const auto count = [](const Llm& llm) { fuzzing::Require(CountParameters(llm).total > 0); };
  fuzzing::Accepts([&] { count(ParseDescribedLlm(text, "fuzz", "fuzz.yaml")); });
  fuzzing::Accepts([&] { count(ParseMegatronArguments(text, "fuzz", "fuzz.args")); });
  return 0;
}
