// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/stages.h"

#include <algorithm>

#include "core/error.h"
#include "core/scalar.h"

namespace roofcast {
namespace {

// Cost by which nanotron deals layers: the numbers of the matrices that a token is multiplied with,
// with as many KV heads as query heads.
double CostOf(const Llm& llm, const Layer& layer) {
  const AttentionLayer& attention = layer.attention;
  const FfnLayer& ffn = layer.ffn;
  const double heads = 4 * Number(attention.heads * attention.head_dim);
  const std::int64_t experts = std::max<std::int64_t>(1, ffn.experts_per_token);
  const double width = Number(ffn.width * experts + ffn.shared_width);
  return Number(llm.hidden) * (heads + (ffn.gated ? 3 : 2) * width);
}

// A layer a stage, after a first one that has the token table alone: nanotron since its pipeline
// fix, where there are fewer layers than stages. A job of that kind logged the states of the table
// and no more.
std::vector<StageLayers> DealSingly(const Llm& llm, std::int64_t chunks) {
  std::vector<StageLayers> dealt;
  for (std::int64_t i = 0; i < chunks; ++i) {
    dealt.push_back({std::clamp<std::int64_t>(i - 1, 0, llm.LayerCount()),
                     std::clamp<std::int64_t>(i, 0, llm.LayerCount())});
  }
  return dealt;
}

std::vector<StageLayers> DealByCost(const Llm& llm, std::int64_t chunks, bool passing) {
  if (!passing && chunks > llm.LayerCount()) return DealSingly(llm, chunks);
  std::vector<double> costs(llm.kinds.size());
  std::transform(llm.kinds.begin(), llm.kinds.end(), costs.begin(), [&](const Layer& layer) {
    return CostOf(llm, layer);
  });
  double total = Number(llm.hidden) * Number(llm.vocabulary);
  for (const std::int32_t kind : llm.layers) total += costs[static_cast<std::size_t>(kind)];
  std::vector<StageLayers> dealt(static_cast<std::size_t>(chunks),
                                 StageLayers{llm.LayerCount(), llm.LayerCount()});
  std::int64_t chunk = 0;
  double sum = 0;
  dealt[0].first = 0;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    sum += costs[static_cast<std::size_t>(llm.layers[static_cast<std::size_t>(i)])];
    const double share = total * (Number(chunk + 1) / Number(chunks));
    if (chunk + 1 < chunks && (passing ? sum > share : sum >= share)) {
      dealt[static_cast<std::size_t>(chunk)].last = i + 1;
      ++chunk;
      dealt[static_cast<std::size_t>(chunk)].first = i + 1;
    }
  }
  return dealt;
}

}  // namespace

std::vector<StageLayers> ChunksOf(const Llm& llm, const Plan& plan) {
  const std::int64_t chunks = plan.pp * plan.vpp;
  const StageRule rule = plan.stages.value_or(StageRule::kEven);
  if (plan.stage_layers.empty() && rule != StageRule::kEven) {
    return DealByCost(llm, chunks, rule == StageRule::kByCostPassing);
  }
  std::vector<StageLayers> dealt(static_cast<std::size_t>(chunks));
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < chunks; ++i) {
    const std::int64_t last = plan.stage_layers.empty()
                                  ? llm.LayerCount() * (i + 1) / chunks
                                  : first + plan.stage_layers[static_cast<std::size_t>(i)];
    dealt[static_cast<std::size_t>(i)] = {first, last};
    first = last;
  }
  return dealt;
}

StageLayers LayersOf(const Llm& llm, const Plan& plan, std::int64_t stage) {
  ROOFCAST_CHECK(plan.vpp == 1);
  return ChunksOf(llm, plan)[static_cast<std::size_t>(stage)];
}

std::vector<std::int64_t> LiveForwards(std::int64_t pp,
                                       std::int64_t vpp,
                                       std::int64_t stage,
                                       std::int64_t micro_batches) {
  if (vpp == 1) return {std::min(micro_batches, pp - stage)};
  const std::int64_t ahead = (pp - stage - 1) * 2 + (vpp - 1) * pp;
  const std::int64_t alive = std::min(ahead + 1, micro_batches * vpp);
  // Groups of pp forwards of chunk 0, then of chunk 1, ... and of chunk 0 again.
  std::vector<std::int64_t> of_chunk(static_cast<std::size_t>(vpp), 0);
  for (std::int64_t i = 0; i < vpp; ++i) {
    const std::int64_t rounds = alive / (pp * vpp);
    const std::int64_t rest = alive - rounds * pp * vpp;
    of_chunk[static_cast<std::size_t>(i)] =
        rounds * pp + std::clamp<std::int64_t>(rest - i * pp, 0, pp);
  }
  return of_chunk;
}

}  // namespace roofcast
