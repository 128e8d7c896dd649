// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/llm/tensors.h"
#include "models/memory/ledger.h"
#include "models/memory/rank_tensors.h"

namespace roofcast {

RankTensor OnRank(const Tensor& tensor, const RankShare& share, std::int64_t times) {
  RankTensor on_rank{tensor, share.tp, times};
  if (tensor.part != Part::kExperts) return on_rank;
  on_rank.tp = share.MoeTp();
  on_rank.tensor.count = (tensor.count + share.ep - 1) / share.ep;
  return on_rank;
}

void ForEachTensorOnRank(const Llm& llm,
                         const RankShare& share,
                         const std::function<void(const RankTensor&)>& visit) {
  const std::vector<std::int64_t> layers = llm.KindCounts(share.first_layer, share.last_layer);
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    if (layers[kind] == 0) continue;
    for (const Tensor& tensor : LayerTensors(llm.kinds[kind], llm.hidden)) {
      visit(OnRank(tensor, share, layers[kind]));
    }
  }
  if (share.embedding) {
    for (const Tensor& tensor : EmbeddingTensors(llm)) visit(OnRank(tensor, share));
  }
  if (!share.head) return;
  for (Tensor tensor : HeadTensors(llm)) {
    // A tied head is the token table itself where that lies on the same rank, else a copy of it.
    if (tensor.gemm == "head" && llm.tied_embeddings) tensor.count = share.embedding ? 0 : 1;
    visit(OnRank(tensor, share));
  }
}

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
  ForEachTensorOnRank(llm, share, [&](const RankTensor& on_rank) {
    parameters += on_rank.Parameters() * on_rank.times;
  });
  return parameters;
}

Node WeightsLedger(const Llm& llm, const RankShare& share, const Precision& precision) {
  std::array<Bytes, EnumNames<Part>::kNames.size()> by_part{};
  ForEachTensorOnRank(llm, share, [&](const RankTensor& on_rank) {
    by_part[static_cast<std::size_t>(on_rank.tensor.part)] +=
        WeightBytes(llm, on_rank.tensor, precision, on_rank.Parameters()) * on_rank.times;
  });
  Node ledger = BytesNode("weights", Bytes(0));
  for (const auto& [part, name] : EnumNames<Part>::kNames) {
    const Bytes bytes = by_part[static_cast<std::size_t>(part)];
    if (bytes > Bytes(0)) ledger.Add(BytesNode(std::string(name), bytes));
  }
  return ledger;
}

}  // namespace roofcast
