// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "hardware/cluster.h"
#include "models/collectives/collective.h"
#include "models/kernels/op_list.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/parallelism/plan.h"

namespace roofcast {

// What the tokens of one pass are: `batch` sequences on this replica, `queries` new tokens each,
// attending to `keys` tokens. Prefill has queries = keys, decode has one query.
struct Pass {
  std::int64_t batch = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  bool training = false;

  std::int64_t Tokens() const { return batch * queries; }
};

// One launch on each device of a tensor-parallel group, in the order of issue.
struct Work {
  std::string_view group;  // "attention", "ffn", ...: the line of the breakdown that it belongs to
  std::string_view name;
  std::variant<Op, Collective> what;
};
using WorkList = std::vector<Work>;

// Forward and backward of one decoder layer, of the embedding and of the head with loss (training)
// or sampling (inference; logits of the last token of each sequence alone).
WorkList LayerForward(const Llm& llm,
                      const Layer& layer,
                      const Plan& plan,
                      const Precision& precision,
                      const Pass& pass);
WorkList LayerBackward(const Llm& llm,
                       const Layer& layer,
                       const Plan& plan,
                       const Precision& precision,
                       const Pass& pass);
WorkList EmbeddingForward(const Llm& llm,
                          const Plan& plan,
                          const Precision& precision,
                          const Pass& pass);
WorkList EmbeddingBackward(const Llm& llm,
                           const Plan& plan,
                           const Precision& precision,
                           const Pass& pass);
WorkList HeadForward(const Llm& llm,
                     const Plan& plan,
                     const Precision& precision,
                     const Pass& pass);
WorkList HeadBackward(const Llm& llm,
                      const Plan& plan,
                      const Precision& precision,
                      const Pass& pass);

// Activations handed from one pipeline stage to the next; every hop is taken as the slowest.
Collective StageTransfer(const Llm& llm,
                         const Plan& plan,
                         const Precision& precision,
                         const Pass& pass);

}  // namespace roofcast
