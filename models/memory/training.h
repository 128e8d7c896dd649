// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/node.h"
#include "core/quantity.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/llm/tensors.h"
#include "models/memory/ledger.h"
#include "models/memory/rank_tensors.h"
#include "models/training_rule.h"

// Model states of training: weights, gradients, optimizer states and the buffers that communicate
// them. A rank holds one share of the layers, or several when stages are interleaved.
namespace roofcast {

// Ranks that states are sharded over. Experts live on fewer data-parallel ranks than the rest, so
// they are sharded over fewer.
struct StateSharding {
  std::int64_t zero = 0;       // 1: optimizer, 2: and gradients, 3: and weights
  double dense = 1;            // ranks that share one copy
  double experts = 1;          // the same, of the experts
  bool data_parallel = false;  // there are copies, whose gradients are added up
  bool pipeline = false;       // there are stages, through which micro-batches go one by one

  bool Shards() const { return dense > 1; }
  bool KeepsWhole(const TrainingRule& rule) const {
    return zero >= 3 && Shards() && pipeline && rule.pipeline_keeps_whole;
  }
  double OptimizerRanks(Part part) const { return RanksFrom(1, part); }
  double GradientRanks(Part part) const { return RanksFrom(2, part); }
  double WeightRanks(Part part) const { return RanksFrom(3, part); }

 private:
  double RanksFrom(std::int64_t stage, Part part) const {
    if (zero < stage) return 1;
    return part == Part::kExperts ? experts : dense;
  }
};

using RankShares = std::vector<RankShare>;

// Parameters over the ranks that share them: P_dense / dense + P_experts / experts.
double ShardedParameters(const Llm& llm,
                         const RankShares& shares,
                         const std::function<double(Part)>& ranks);
// Parameters of the largest unit that is gathered as one: a layer, the token table, or the head.
std::int64_t LargestUnit(const Llm& llm, const RankShares& shares);

// Weights as trained, a child for each part; sharded with ZeRO-3 [rajbhandari2020].
Node TrainedWeightsLedger(const Llm& llm,
                          const RankShares& shares,
                          const Precision& precision,
                          const TrainingRule& rule,
                          const StateSharding& sharding);
// The buffer that gradients are summed in, and those in the weights' format that stay beside it.
Node GradientLedger(const Llm& llm,
                    const RankShares& shares,
                    const Precision& precision,
                    const TrainingRule& rule,
                    const StateSharding& sharding);
// The optimizer's own weights and its moments.
Node OptimizerLedger(const Llm& llm,
                     const RankShares& shares,
                     const TrainingRule& rule,
                     const StateSharding& sharding);
// Of one rank's tensor (all its matrices, once).
struct Moments {
  Bytes first;
  Bytes second;
};
Moments MomentsOf(const TrainingRule& rule, const RankTensor& on_rank);
// Gradients in the weights' format at the end of a micro-batch's backward: all of them before they
// are added to the buffer, or the largest unit's where gradients are sharded.
Bytes OneMicroBatchOfGradients(const Llm& llm,
                               const RankShares& shares,
                               const Precision& precision,
                               const TrainingRule& rule,
                               const StateSharding& sharding);

// What communication keeps beside the states: buckets of data parallelism, buffers of tp, and in
// the phases of the step that need them the weights that ZeRO gathers.
Node CommunicationLedger(const Llm& llm,
                         const RankShares& shares,
                         const Precision& precision,
                         const TrainingRule& rule,
                         const StateSharding& sharding,
                         const ActivationShape& shape,
                         TrainingPhase phase);

// Logits of a micro-batch when the loss is taken: tokens x V / tp x logit_bytes, of one chunk where
// the loss goes by chunks, and of the whole vocabulary where logits are gathered.
Bytes LossBytes(const Llm& llm, const TrainingRule& rule, const ActivationShape& shape);
// Tensors that come and go: whole hidden ones, and of the FFN's width.
Bytes WorkingTensors(const Llm& llm,
                     const RankShares& shares,
                     const TrainingRule& rule,
                     const ActivationShape& shape,
                     const Precision& precision);

}  // namespace roofcast
