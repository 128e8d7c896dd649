// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hardware/cluster.h"
#include "models/engine.h"
#include "models/kv_layout.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/memory/ledger.h"
#include "models/steps/step_time.h"

namespace roofcast {

// The engine that serves, and what the user sets of it; the rest is as its rule says.
struct EngineChoice {
  const Engine* engine = nullptr;  // nullptr: no engine, all free memory is KV cache
  std::optional<double> memory_fraction;
  std::optional<std::int64_t> batched_tokens;
  std::optional<std::int64_t> sequences;
  std::optional<std::int64_t> block_size;
  std::optional<KvPolicy> policy;
  std::optional<LatentForm> latent;
};
// "full", "window,expanded": a policy, a form of latents, or both. Throws ArgumentError.
void ParseKvPolicy(std::string_view text, EngineChoice& choice);

// A rule with every default settled for a device and a plan.
struct Admission {
  double fraction = 0;
  std::int64_t batched_tokens = 0;
  std::int64_t sequences = 0;
  KvLayout layout;
};
Admission SettleAdmission(const EngineChoice& choice, const Device& device, const Plan& plan);

// The most that tensors of a profiled pass take at once on a rank: the widest layer of a pass of
// `batched_tokens`, or, where the rank samples,
//   batched tokens x hidden x element + bytes a logit x min(sequences, batched tokens) x vocabulary
// since every rank gathers the whole vocabulary's logits.
// Source: [vllm-gpu-worker], [llm-d-vllm-memory]
Bytes ActivationPeak(const Llm& llm,
                     const RankShare& share,
                     const Precision& precision,
                     const Admission& admission,
                     const AdmissionRule& rule);

// The KV cache that an engine sets up, on every stage of the pipeline:
//   total:                fraction x memory - weights - peak - libraries (- context) (- graphs)
//   free_at_start:        fraction x (memory - context - libraries) - weights
//   free_after_profiling: fraction x (memory - weights - peak - libraries (- context) (- graphs))
// where memory is what the driver offers, in whole blocks, as many as the stage with the fewest
// has. Reports that stage: its ledger ends with what the engine leaves alone, and sums to the
// memory of the device unless it doesn't fit. Source: [vllm-gpu-worker], [vllm-kv-utils],
// [sglang-server-args], [trtllm-kv-cache-config]
struct EngineLoad {
  std::int64_t sequences = 1;  // that have to fit
  std::int64_t length = 0;     // tokens of each
};
void ReportEngineMemory(const Llm& llm,
                        const Cluster& cluster,
                        const Precision& precision,
                        const EngineLoad& load,
                        const EngineChoice& choice,
                        StepTime& step);

// Says in `step` by which rule and figures the cache was sized, and where they are from.
void NoteEngine(const Engine& engine, StepTime& step);

// Bytes of one sequence by every policy and form that differ for this model, the layout's first.
std::vector<KvPolicyBytes> BytesByPolicy(const Llm& llm,
                                         const RankShare& share,
                                         const Precision& precision,
                                         const KvLayout& layout,
                                         std::int64_t tokens);

}  // namespace roofcast
