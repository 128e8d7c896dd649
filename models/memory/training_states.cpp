// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "models/memory/rank_tensors.h"
#include "models/memory/training.h"

namespace roofcast {
namespace {

void ForEachTensorOfAll(const Llm& llm,
                        const RankShares& shares,
                        const std::function<void(const RankTensor&)>& visit) {
  for (const RankShare& share : shares) ForEachTensorOnRank(llm, share, visit);
}

std::int64_t ParametersOf(const std::vector<Tensor>& tensors, const RankShare& share) {
  std::int64_t parameters = 0;
  for (const Tensor& tensor : tensors) parameters += OnRank(tensor, share).Parameters();
  return parameters;
}

}  // namespace

double ShardedParameters(const Llm& llm,
                         const RankShares& shares,
                         const std::function<double(Part)>& ranks) {
  double parameters = 0;
  ForEachTensorOfAll(llm, shares, [&](const RankTensor& on_rank) {
    parameters += Number(on_rank.Parameters() * on_rank.times) / ranks(on_rank.tensor.part);
  });
  return parameters;
}

std::int64_t LargestUnit(const Llm& llm, const RankShares& shares) {
  std::int64_t largest = 0;
  for (const RankShare& share : shares) {
    const std::vector<std::int64_t> layers = llm.KindCounts(share.first_layer, share.last_layer);
    for (std::size_t kind = 0; kind < layers.size(); ++kind) {
      if (layers[kind] == 0) continue;
      largest = std::max(largest, ParametersOf(LayerTensors(llm.kinds[kind], llm.hidden), share));
    }
    if (share.embedding) largest = std::max(largest, ParametersOf(EmbeddingTensors(llm), share));
    if (share.head) largest = std::max(largest, ParametersOf(HeadTensors(llm), share));
  }
  return largest;
}

Node TrainedWeightsLedger(const Llm& llm,
                          const RankShares& shares,
                          const Precision& precision,
                          const TrainingRule& rule,
                          const StateSharding& sharding) {
  std::array<Bytes, EnumNames<Part>::kNames.size()> by_part{};
  ForEachTensorOfAll(llm, shares, [&](const RankTensor& on_rank) {
    const Tensor& tensor = on_rank.tensor;
    const Bytes bytes = rule.weights ? Number(on_rank.Parameters()) * BytesOf(*rule.weights)
                                     : WeightBytes(llm, tensor, precision, on_rank.Parameters());
    by_part[static_cast<std::size_t>(tensor.part)] +=
        bytes * (Number(on_rank.times) / sharding.WeightRanks(tensor.part));
  });
  Node ledger = BytesNode("weights", Bytes(0));
  for (const auto& [part, name] : EnumNames<Part>::kNames) {
    const Bytes bytes = by_part[static_cast<std::size_t>(part)];
    if (bytes > Bytes(0)) ledger.Add(BytesNode(std::string(name), bytes));
  }
  return ledger;
}

Node GradientLedger(const Llm& llm,
                    const RankShares& shares,
                    const Precision& precision,
                    const TrainingRule& rule,
                    const StateSharding& sharding) {
  const double parameters =
      ShardedParameters(llm, shares, [&](Part part) { return sharding.GradientRanks(part); });
  Node ledger = BytesNode("gradients", Bytes(0));
  ledger.Add(BytesNode("summed gradients", parameters * BytesOf(rule.gradients)));
  if (rule.working_gradients == WorkingGradients::kStep) {
    ledger.Add(BytesNode("working gradients", parameters * BytesOf(precision.weights)));
  }
  return ledger;
}

Bytes OneMicroBatchOfGradients(const Llm& llm,
                               const RankShares& shares,
                               const Precision& precision,
                               const TrainingRule& rule,
                               const StateSharding& sharding) {
  const Bytes element = BytesOf(precision.weights);
  // With sharded gradients a unit's are whole until they are summed over the ranks.
  if (sharding.KeepsWhole(rule)) {
    return ShardedParameters(llm, shares, [](Part) { return 1.0; }) * BytesOf(rule.gradients);
  }
  if (sharding.zero >= 2 && sharding.Shards()) return Number(LargestUnit(llm, shares)) * element;
  if (rule.working_gradients != WorkingGradients::kMicroBatch) return Bytes(0);
  return ShardedParameters(llm, shares, [](Part) { return 1.0; }) * element;
}

Node OptimizerLedger(const Llm& llm,
                     const RankShares& shares,
                     const TrainingRule& rule,
                     const StateSharding& sharding) {
  Bytes master;
  Moments moments;
  ForEachTensorOfAll(llm, shares, [&](const RankTensor& on_rank) {
    const double times = Number(on_rank.times) / sharding.OptimizerRanks(on_rank.tensor.part);
    if (rule.master) master += times * Number(on_rank.Parameters()) * BytesOf(*rule.master);
    const Moments of_one = MomentsOf(rule, on_rank);
    moments.first += times * of_one.first;
    moments.second += times * of_one.second;
  });
  Node ledger = BytesNode("optimizer", Bytes(0));
  if (master > Bytes(0)) ledger.Add(BytesNode("master weights", master));
  if (moments.first > Bytes(0)) ledger.Add(BytesNode("first moment", moments.first));
  if (moments.second > Bytes(0)) ledger.Add(BytesNode("second moment", moments.second));
  return ledger;
}

}  // namespace roofcast
