// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>

#include "models/llm/tensors.h"
#include "models/memory/ledger.h"

namespace roofcast {
namespace {

// Visits every tensor that a rank holds. Layers of one kind are visited once, with their number.
void ForEachTensor(const Llm& llm,
                   const RankShare& share,
                   const std::function<void(const Tensor&, std::int64_t)>& visit) {
  const std::vector<std::int64_t> layers = llm.KindCounts(share.first_layer, share.last_layer);
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    if (layers[kind] == 0) continue;
    for (const Tensor& tensor : LayerTensors(llm.kinds[kind], llm.hidden)) {
      visit(tensor, layers[kind]);
    }
  }
  if (share.embedding) {
    for (const Tensor& tensor : EmbeddingTensors(llm)) visit(tensor, 1);
  }
  if (!share.head) return;
  for (Tensor tensor : HeadTensors(llm)) {
    // A tied head is the token table itself where that lies on the same rank, else a copy of it.
    if (tensor.gemm == "head" && llm.tied_embeddings) tensor.count = share.embedding ? 0 : 1;
    visit(tensor, 1);
  }
}

}  // namespace

Node BytesNode(std::string name, Bytes bytes) {
  Node node;
  node.name = std::move(name);
  node.kind = NodeKind::kBytes;
  node.bytes = bytes;
  node.bound = Bound::kMemory;
  return node;
}

std::int64_t ParametersOnRank(const Llm& llm, const RankShare& share) {
  std::int64_t parameters = 0;
  ForEachTensor(llm, share, [&](const Tensor& tensor, std::int64_t times) {
    parameters += tensor.ParametersOnRank(share.tp) * times;
  });
  return parameters;
}

Node WeightsLedger(const Llm& llm, const RankShare& share, const Precision& precision) {
  std::array<Bytes, EnumNames<Part>::kNames.size()> by_part{};
  ForEachTensor(llm, share, [&](const Tensor& tensor, std::int64_t times) {
    by_part[static_cast<std::size_t>(tensor.part)] +=
        WeightBytes(llm, tensor, precision, tensor.ParametersOnRank(share.tp)) * times;
  });
  Node ledger = BytesNode("weights", Bytes(0));
  for (const auto& [part, name] : EnumNames<Part>::kNames) {
    const Bytes bytes = by_part[static_cast<std::size_t>(part)];
    if (bytes > Bytes(0)) ledger.Add(BytesNode(std::string(name), bytes));
  }
  return ledger;
}

Node GradientLedger(const Llm& llm, const RankShare& share, const Precision& precision) {
  return BytesNode("gradients",
                   Number(ParametersOnRank(llm, share)) * BytesOf(precision.gradients));
}

Node OptimizerLedger(const Llm& llm,
                     const RankShare& share,
                     const Precision& precision,
                     std::int64_t zero,
                     std::int64_t dp) {
  const double owners = zero >= 1 ? Number(dp) : 1;
  const double parameters = Number(ParametersOnRank(llm, share)) / owners;
  const Bytes each = parameters * BytesOf(precision.optimizer);
  Node ledger = BytesNode("optimizer", Bytes(0));
  ledger.Add(BytesNode("master weights", each));
  ledger.Add(BytesNode("first moment", each));
  ledger.Add(BytesNode("second moment", each));
  return ledger;
}

}  // namespace roofcast
