// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/llm/architecture.h"
#include "models/parallelism/plan.h"

namespace roofcast {

// Layers [first, last) of one stage of a pipeline, or of one chunk of an interleaved one.
struct StageLayers {
  std::int64_t first = 0;
  std::int64_t last = 0;  // one past

  friend bool operator==(const StageLayers&, const StageLayers&) = default;
};

// Layers of each of the plan's pp x vpp chunks in the order that a token meets them. By the list of
// the plan, else by its rule, else as even as can be.
std::vector<StageLayers> ChunksOf(const Llm& llm, const Plan& plan);
// Layers of a stage of a pipeline that is not interleaved.
StageLayers LayersOf(const Llm& llm, const Plan& plan, std::int64_t stage);

// Forwards of each chunk of a stage whose backward has not begun, when there are most of them.
// 1F1B has min(m, pp - stage) [narayanan2021megatron]; interleaved, a stage runs
// (pp - stage - 1) 2 + (vpp - 1) pp forwards ahead, in groups of pp micro-batches a chunk.
std::vector<std::int64_t> LiveForwards(std::int64_t pp,
                                       std::int64_t vpp,
                                       std::int64_t stage,
                                       std::int64_t micro_batches);

}  // namespace roofcast
