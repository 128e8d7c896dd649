// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "models/llm/tensors.h"
#include "models/memory/ledger.h"

namespace roofcast {

// A tensor as one rank holds it: `parameters` of it, `times` such tensors. `tp` splits each of its
// matrices, of which `tensor.count` are there.
struct RankTensor {
  Tensor tensor;
  std::int64_t tp = 1;
  std::int64_t times = 1;

  std::int64_t Parameters() const { return tensor.ParametersOnRank(tp); }
};

// Visits every tensor that a rank holds. Layers of one kind are visited once, with their number.
void ForEachTensorOnRank(const Llm& llm,
                         const RankShare& share,
                         const std::function<void(const RankTensor&)>& visit);

// A tensor of a share, with only the experts that are the rank's own.
RankTensor OnRank(const Tensor& tensor, const RankShare& share, std::int64_t times = 1);

}  // namespace roofcast
