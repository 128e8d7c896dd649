// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/units.h"
#include "models/serving/engine_log.h"
#include "models/steps/report_text.h"

namespace roofcast {
namespace {

void AddBytes(const char* name,
              const std::optional<Bytes>& logged,
              Bytes predicted,
              LogComparison& comparison) {
  if (logged) comparison.rows.push_back({name, true, logged->value(), predicted.value()});
}

Bytes Line(const StepTime& step, std::string_view name) {
  const Node* node = FindChild(step.memory.bytes, name);
  return node == nullptr ? Bytes(0) : node->bytes;
}

void AddTokens(const EngineLog& log, const StepTime& step, LogComparison& comparison) {
  const MemoryReport& memory = step.memory;
  const KvReport& kv = memory.kv;
  const bool same_length = !log.concurrency_length || *log.concurrency_length == memory.kv_length;
  const bool mixed = log.mixed_layers || kv.fixed > Bytes(0);
  if (log.kv_blocks) {
    comparison.rows.push_back({"blocks", false, Number(*log.kv_blocks), Number(kv.blocks)});
  }
  if (mixed && !same_length) {
    comparison.notes.push_back("the log's tokens and concurrency are for sequences of " +
                               FormatThousands(Number(*log.concurrency_length)) +
                               " tokens, not of " + FormatThousands(Number(memory.kv_length)) +
                               ": left out");
    return;
  }
  if (log.kv_tokens) {
    comparison.rows.push_back(
        {"KV tokens", false, Number(*log.kv_tokens), Number(memory.kv_tokens)});
  }
  if (log.concurrency && same_length) {
    comparison.rows.push_back({"concurrency", false, *log.concurrency, kv.concurrency});
  }
  if (mixed) {
    comparison.notes.push_back(
        "bytes a token don't follow from this log: not every layer caches every token, and the "
        "tokens are concurrency x length. By the layers a sequence takes " +
        FormatGib(kv.fixed) + " and " + FormatGib(kv.per_token) + " a token");
  } else if (log.kv_cache && log.kv_tokens && *log.kv_tokens > 0) {
    comparison.rows.push_back({"KV bytes a token",
                               true,
                               log.kv_cache->value() / Number(*log.kv_tokens),
                               memory.kv_bytes_per_token.value()});
  }
}

}  // namespace

std::optional<double> LogRow::Difference() const {
  if (!(logged > 0)) return std::nullopt;
  return predicted / logged - 1;
}

LogComparison CompareWithLog(const EngineLog& log, const StepTime& step) {
  LogComparison comparison;
  const MemoryReport& memory = step.memory;
  const Bytes libraries = Line(step, "libraries and collectives");
  const Bytes offered = memory.capacity - Line(step, "kept by the driver");
  AddBytes("memory of the device", log.total, offered, comparison);
  AddBytes("free before weights",
           log.free_at_start,
           offered - Line(step, "context") - libraries,
           comparison);
  AddBytes("weights", log.weights, Line(step, "weights"), comparison);
  AddBytes("activation peak", log.activation_peak, Line(step, "activation peak"), comparison);
  AddBytes("libraries", log.libraries, libraries, comparison);
  AddBytes("graphs", log.graphs, Line(step, "graphs"), comparison);
  AddBytes("KV cache", log.kv_cache, memory.kv.pool, comparison);
  AddTokens(log, step, comparison);
  for (const std::string& name : log.missing) {
    comparison.notes.push_back("the log has no line with the " + name);
  }
  for (const std::string& name : log.contradictions) {
    comparison.notes.push_back("the log contradicts itself on the " + name + ": not used");
  }
  return comparison;
}

}  // namespace roofcast
