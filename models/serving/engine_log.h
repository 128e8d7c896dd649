// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "models/steps/step_time.h"

namespace roofcast {

// What a serving engine said of its memory when it started. Lines of several generations of vLLM
// and SGLang are understood, with whatever stands before them; all others are passed over. Where
// ranks or restarts say it differently, the least room and the most use are kept, and settings that
// contradict each other are dropped and named in `contradictions`.
struct EngineLog {
  std::string product;  // "vllm", "sglang"; empty: no line of either was found
  std::optional<std::string> version;
  std::optional<std::string> model;  // as it was written, no path is ever opened
  std::optional<std::int64_t> tp;
  std::optional<std::int64_t> pp;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> batched_tokens;
  std::optional<std::int64_t> sequences;
  std::optional<double> memory_fraction;

  std::optional<Bytes> total;          // vLLM: of the device
  std::optional<Bytes> free_at_start;  // SGLang: before weights
  std::optional<Bytes> weights;
  std::optional<Bytes> activation_peak;
  std::optional<Bytes> libraries;
  std::optional<Bytes> graphs;
  std::optional<Bytes> kv_cache;
  std::optional<std::int64_t> kv_tokens;
  std::optional<std::int64_t> kv_blocks;
  std::optional<std::int64_t> concurrency_length;
  std::optional<double> concurrency;
  bool mixed_layers = false;  // it says so: states or windows beside full attention

  std::vector<std::string> contradictions;
  std::vector<std::string> missing;  // of the lines that a comparison wants
};
// Any text at all; never throws for what stands in it. Lines are read up to 64 KiB.
EngineLog ReadEngineLog(std::string_view text);

// One figure of the log beside the same of a prediction.
struct LogRow {
  std::string name;
  bool is_bytes = true;
  double logged = 0;
  double predicted = 0;

  // predicted / logged - 1; nothing where the log says 0 or less.
  std::optional<double> Difference() const;
};
struct LogComparison {
  std::vector<LogRow> rows;
  std::vector<std::string> notes;
};
// `step` is of the verb memory, with an engine. Bytes a token are compared only where every layer
// caches every token; elsewhere the log's tokens are concurrency x length, which says nothing of a
// token's bytes.
LogComparison CompareWithLog(const EngineLog& log, const StepTime& step);

}  // namespace roofcast
