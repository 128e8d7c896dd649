// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/node.h"
#include "core/quantity.h"
#include "core/scalar.h"
#include "models/coefficients.h"
#include "models/llm/architecture.h"
#include "models/llm/parameters.h"
#include "models/llm/precision.h"
#include "models/training_choices.h"

namespace roofcast {

// What one rank holds: a slice of the model's layers, split tp ways; of the experts one ep-th, each
// split moe_tp ways.
struct RankShare {
  std::int64_t tp = 1;
  std::int64_t first_layer = 0;
  std::int64_t last_layer = 0;  // one past
  bool embedding = true;        // holds the token table
  bool head = true;             // holds final norm and LM head
  std::int64_t ep = 1;
  std::int64_t moe_tp = 0;  // 0: as tp

  std::int64_t MoeTp() const { return moe_tp == 0 ? tp : moe_tp; }
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

// Activations that one layer keeps for backward, of a micro-batch of batch x sequence tokens split
// over cp [korthikanti2022]. sequence_parallel divides what tp leaves whole; an unfused attention
// keeps its scores; full recompute keeps the layer's input alone. A token's copies for its experts
// are not divided by ep: what a rank sends away it gets back from the others.
struct ActivationShape {
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  std::int64_t moe_tp = 0;  // 0: as tp
  bool sequence_parallel = true;
  Recompute recompute = Recompute::kNone;
  // What the framework keeps; see TrainingRule.
  AttentionForm attention = AttentionForm::kFlash;
  bool dropout = false;
  std::int64_t gated_tensors = 3;
  double norm_statistic_bytes = 0;

  double Tokens() const { return Number(batch) * Number(sequence) / Number(cp); }
  // Ranks that share what tp by itself leaves whole.
  double HiddenRanks() const { return sequence_parallel ? Number(tp) : 1.0; }
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
