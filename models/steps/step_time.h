// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/node.h"
#include "core/quantity.h"
#include "core/source.h"
#include "models/coefficients.h"
#include "models/kv_layout.h"
#include "models/llm/parameters.h"
#include "models/parallelism/plan.h"
#include "models/training_choices.h"

namespace roofcast {

// Where the true value lies with probability `level`. Only a fit can give one.
struct Interval {
  double level = 0.9;
  Seconds low;
  Seconds high;
};

// A figure that a prediction rests on.
struct UsedSource {
  std::string name;  // "h100-sxm memory.bandwidth"
  SourceKind kind = SourceKind::kAssumed;
  std::string from;   // key of references.yaml
  std::string place;  // file:line:column
};

// Bytes of one sequence under a named way to lay its cache out.
struct KvPolicyBytes {
  std::string name;  // "full", "window", "hybrid", "pools", "absorbed", "expanded"
  Bytes request;
};

// How the KV cache is laid out and how much of it an engine sets up.
struct KvReport {
  std::string engine;  // its name; empty: none, all free memory is KV cache
  KvLayout layout;
  std::string name;  // of the layout among `by_policy`
  Bytes request;     // one sequence of kv_length tokens on the fullest rank
  Bytes fixed;       // of it: whatever its length (full windows, states)
  Bytes per_token;   // and of each token more
  double memory_fraction = 0;
  std::int64_t batched_tokens = 0;  // of one pass
  std::int64_t sequences = 0;       // that run at once at most
  Bytes pool;                       // memory of the cache
  std::int64_t blocks = 0;          // the fewest of all stages
  double concurrency = 0;           // sequences of kv_length tokens, not rounded
  std::vector<KvPolicyBytes> by_policy;
};

enum class MemoryVerdict : std::uint8_t { kFits, kTight, kOutOfMemory };
template <>
struct EnumNames<MemoryVerdict> {
  static constexpr std::array<std::pair<MemoryVerdict, std::string_view>, 3> kNames = {{
      {MemoryVerdict::kFits, "fits"},
      {MemoryVerdict::kTight, "tight"},
      {MemoryVerdict::kOutOfMemory, "out of memory"},
  }};
};

// Training: the fullest moment of the ranks of one pipeline stage.
struct StagePeak {
  std::int64_t stage = 0;
  TrainingPhase phase = TrainingPhase::kForward;
  Bytes bytes;      // taken from the device: allocated, the allocator's margin and the runtime
  Bytes allocated;  // tensors alone
  Bytes transient;  // of them those that come and go, which the allocator's margin is for
};

// Bytes of the fullest rank, and what is left.
struct MemoryReport {
  ParameterCounts parameters;
  Node bytes;                   // ledger of the fullest rank; the root is the sum
  std::int64_t rank_stage = 0;  // pipeline stage of that rank
  Bytes capacity;               // that the device reports
  Bytes headroom;               // capacity - bytes, negative when it doesn't fit
  // Serving: room for KV cache when nothing but weights and workspace is there.
  Bytes kv_bytes_per_token;  // on the fullest rank
  std::int64_t kv_tokens = 0;
  std::int64_t kv_concurrency = 0;  // sequences of `kv_length` tokens
  std::int64_t kv_length = 0;
  KvReport kv;
  // Training: when the fullest rank is fullest, and the same of every stage.
  std::optional<TrainingPhase> phase;
  MemoryVerdict verdict = MemoryVerdict::kFits;
  std::vector<StagePeak> stages;
  std::optional<Bytes> logged;  // what the framework itself reports
};

// Whether a verb predicts bytes and no time: "memory", "memory train".
inline bool IsMemoryVerb(std::string_view verb) {
  return verb.starts_with("memory");
}

// A predicted step with everything that a reader needs to believe it.
struct StepTime {
  std::string verb;  // "predict train", "memory", ...
  std::string model;
  std::string cluster;
  Plan plan;
  std::string load;  // for people: "512 sequences of 8192 tokens, micro-batch 1, ..."
  bool fits = true;
  std::vector<std::string> why;  // when it doesn't: by how much, on which rank
  Seconds time;
  std::optional<Interval> interval;  // none until a fit exists
  Bound bound = Bound::kCompute;
  Node breakdown;
  MemoryReport memory;
  std::vector<UsedSource> sources;
  std::string fits_hash;                           // of the coefficients used; see Fit::hash
  std::vector<std::string> extrapolated;           // inputs outside a fit's range
  std::map<std::string, std::string> assumptions;  // what was chosen for the user, and why

  // Whole cluster, all replicas: tokens trained, prefilled or generated.
  double tokens_per_s = 0;
  double tokens_per_s_per_device = 0;
  // Training: model FLOPs utilisation by the named convention.
  std::optional<double> mfu;
  std::optional<double> hfu;  // the same with recomputed forward work counted
  std::string flops_convention;
  Flops model_flops;  // of the step, whole cluster, by that convention
};

}  // namespace roofcast
