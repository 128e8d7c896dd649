// SPDX-License-Identifier: Apache-2.0
// Any text as the start log of a serving engine.
#include "models/serving/engine_log.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  const EngineLog log = ReadEngineLog(fuzzing::TextOf(data, size));
  fuzzing::Require(!log.kv_tokens || *log.kv_tokens >= 0);
  fuzzing::Require(!log.model || log.model->size() <= 256);
  fuzzing::Require(log.missing.size() <= 3);
  CompareWithLog(log, StepTime{});
  return 0;
}
