// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/memory/rank_tensors.h"
#include "models/memory/training.h"

namespace roofcast {
namespace {

constexpr auto kWhole = [](Part) { return 1.0; };

}  // namespace

Node CommunicationLedger(const Llm& llm,
                         const RankShares& shares,
                         const Precision& precision,
                         const TrainingRule& rule,
                         const StateSharding& sharding,
                         const ActivationShape& shape,
                         TrainingPhase phase) {
  Node ledger = BytesNode("communication buffers", Bytes(0));
  const auto add = [&](std::string name, Bytes bytes) {
    if (bytes > Bytes(0)) ledger.Add(BytesNode(std::move(name), bytes));
  };
  const double whole = ShardedParameters(llm, shares, kWhole);
  if (sharding.data_parallel) add("gradient buckets", whole * Bytes(rule.bucket_bytes));
  if (shape.tp > 1) {
    add("tensor-parallel gathers",
        shape.Tokens() * Number(llm.hidden) * Bytes(rule.tp_gather_bytes));
  }
  if (!sharding.Shards()) return ledger;
  if (phase == TrainingPhase::kOptimizer) {
    if (sharding.zero != 1 && sharding.zero != 2) return ledger;
    const double own =
        ShardedParameters(llm, shares, [&](Part part) { return sharding.OptimizerRanks(part); });
    add("gathered weights", whole * Bytes(rule.gathered_whole_bytes));
    add("sent weights", own * Bytes(rule.gathered_shard_bytes));
  } else if (sharding.zero >= 3) {
    const double units = Number(LargestUnit(llm, shares) * rule.gathered_units);
    const double gathered = sharding.KeepsWhole(rule) ? whole : std::min(units, whole);
    add("gathered weights", gathered * BytesOf(precision.weights));
  }
  return ledger;
}

Bytes LossBytes(const Llm& llm, const TrainingRule& rule, const ActivationShape& shape) {
  const double tokens =
      rule.loss_chunk ? std::min(shape.Tokens(), Number(*rule.loss_chunk)) : shape.Tokens();
  const double ranks = rule.gathers_logits ? 1 : Number(shape.tp);
  return tokens * (Number(llm.vocabulary) / ranks) * Bytes(rule.logit_bytes);
}

Bytes WorkingTensors(const Llm& llm,
                     const RankShares& shares,
                     const TrainingRule& rule,
                     const ActivationShape& shape,
                     const Precision& precision) {
  double width = 0;
  for (const RankShare& share : shares) {
    for (std::int64_t i = share.first_layer; i < share.last_layer; ++i) {
      const FfnLayer& ffn = llm.LayerAt(i).ffn;
      const std::int64_t copies = std::max<std::int64_t>(1, ffn.experts_per_token);
      width = std::max(width, Number(ffn.width * copies + ffn.shared_width) / Number(shape.tp));
    }
  }
  const bool gathers = shape.tp > 1 && rule.working_hidden_tensors > 0;
  const double hidden = Number(rule.working_hidden_tensors + (gathers ? 1 : 0));
  return shape.Tokens() *
         (hidden * Number(llm.hidden) + Number(rule.working_width_tensors) * width) *
         BytesOf(precision.residual);
}

}  // namespace roofcast
