// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/node.h"
#include "core/quantity.h"
#include "models/coefficients.h"
#include "models/llm/architecture.h"
#include "models/llm/parameters.h"
#include "models/llm/precision.h"

namespace roofcast {

// What one rank holds: a slice of the model's layers, split tp ways.
struct RankShare {
  std::int64_t tp = 1;
  std::int64_t first_layer = 0;
  std::int64_t last_layer = 0;  // one past
  bool embedding = true;        // holds the token table
  bool head = true;             // holds final norm and LM head
};

// Bytes of one leaf of a ledger.
Node BytesNode(std::string name, Bytes bytes);

// Parameters of the rank, by the list of tensors. A tied head on another rank than the embedding
// is a copy there.
std::int64_t ParametersOnRank(const Llm& llm, const RankShare& share);

// Weights as the device holds them, a child for each part. Quantised checkpoints count their block
// scales; `precision.weights` overrides how matrices are stored.
Node WeightsLedger(const Llm& llm, const RankShare& share, const Precision& precision);

// KV cache of `sequences` sequences of `tokens` tokens, by the layout that no engine has a say in
// (models/memory/kv_policy.h): windowed layers keep min(tokens, window);
// MLA keeps its latent on every rank; tp beyond the KV heads replicates one head.
Node KvLedger(const Llm& llm,
              const RankShare& share,
              const Precision& precision,
              std::int64_t sequences,
              std::int64_t tokens);
// Of one token in every layer, sliding ones included: what a full reservation takes.
Bytes KvBytesPerTokenOnRank(const Llm& llm, const RankShare& share, const Precision& precision);

// Gradients and optimizer states of mixed-precision Adam: master weights and two moments.
// ZeRO-1 divides the optimizer by dp.
Node GradientLedger(const Llm& llm, const RankShare& share, const Precision& precision);
Node OptimizerLedger(const Llm& llm,
                     const RankShare& share,
                     const Precision& precision,
                     std::int64_t zero,
                     std::int64_t dp);

// Activations that one layer keeps for backward, per micro-batch of batch x sequence tokens, with
// flash attention (no score matrix) [korthikanti2022]; sequence_parallel divides what tp leaves
// whole. Full recompute keeps the layer's input alone.
struct ActivationShape {
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t tp = 1;
  bool sequence_parallel = true;
  bool full_recompute = false;
};
Bytes ActivationsOfLayer(const Llm& llm,
                         const Layer& layer,
                         const ActivationShape& shape,
                         const Precision& precision);
// Logits and their gradient in fp32 on the rank that holds the head.
Bytes LogitsOnRank(const Llm& llm, std::int64_t tokens, std::int64_t tp);
// The largest set of temporary tensors that inference of `tokens` tokens has alive at once.
Bytes InferenceWorkspace(const Llm& llm,
                         const RankShare& share,
                         const Precision& precision,
                         std::int64_t tokens,
                         std::int64_t logits);

}  // namespace roofcast
