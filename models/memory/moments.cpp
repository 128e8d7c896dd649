// SPDX-License-Identifier: Apache-2.0
#include "models/memory/rank_tensors.h"
#include "models/memory/training.h"

namespace roofcast {
namespace {

// Blocks of quantised moments share one fp32 scale; smaller tensors stay in fp32 [dettmers2021].
constexpr double kBlock = 256;
constexpr std::int64_t kSmallestQuantised = 4096;

bool IsMatrix(const Tensor& tensor) {
  return tensor.inputs > 1 && tensor.outputs > 1;
}

// Muon's orthogonal steps are for the matrices of the layers; tables, head and vectors take Adam.
bool TakesMuon(const Tensor& tensor) {
  return IsMatrix(tensor) && tensor.part != Part::kEmbedding && tensor.part != Part::kHead;
}

}  // namespace

Moments MomentsOf(const TrainingRule& rule, const RankTensor& on_rank) {
  const double parameters = Number(on_rank.Parameters());
  const Bytes whole = parameters * BytesOf(rule.moments);
  const std::int64_t rows = on_rank.tensor.OutputsOnRank(on_rank.tp);
  const std::int64_t columns = on_rank.tensor.InputsOnRank(on_rank.tp);
  switch (rule.optimizer) {
    case Optimizer::kAdam:
      return {whole, whole};
    case Optimizer::kAdam8Bit: {
      const bool small = rows * columns < kSmallestQuantised;
      const Bytes each = parameters * Bytes(small ? 4 : 1 + 4 / kBlock);
      return {each, each};
    }
    case Optimizer::kAdafactor:
      if (!IsMatrix(on_rank.tensor)) return {Bytes(0), parameters * Bytes(4)};
      return {Bytes(0), Number(on_rank.tensor.count * (rows + columns)) * Bytes(4)};
    case Optimizer::kMuon:
      return {whole, TakesMuon(on_rank.tensor) ? Bytes(0) : whole};
    case Optimizer::kSgd:
      return {whole, Bytes(0)};
  }
  return {};
}

}  // namespace roofcast
