// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/cpu_attention.h"

#include <ceres/jet.h>

#include <algorithm>

namespace roofcast {

CpuAttention::Features CpuAttention::Prepare(const Attention& op,
                                             const Device& device,
                                             const Kernel& kernel) {
  const double rate = RateOf(device, op.math);
  const double heads = Number(op.batch) * Number(op.heads);
  const double pairs = heads * AttentionPairs(op);
  const double rows = Number(op.batch) * Number(op.keys) * Number(op.kv_heads);
  const Bytes cache = rows * Number(op.head_dim + op.value_dim) * BytesOf(op.kv);
  const std::int64_t blocks = (op.queries + kernel.block - 1) / kernel.block;
  // Blocks run the heads of all groups at a time; one query runs each KV head by itself.
  const std::int64_t calls = op.queries == 1 ? op.kv_heads : blocks * (op.heads / op.kv_heads);
  return {Number(op.batch) * Number(calls),
          2 * Number(op.head_dim + op.value_dim) * pairs / rate,
          pairs / rate,
          cache.value() / DeviceRates::Of(device).bandwidth};
}

template <class T>
FormCost<T> CpuAttention::TimeOf(const Features& f, const Coefficients<T>& c) {
  FormCost<T> cost;
  cost.intercept = c.intercept + c.call * f.calls;
  cost.compute = f.compute / c.compute_factor + f.scores / c.score_factor;
  cost.memory = f.memory / c.memory_factor;
  cost.time = cost.intercept + SmoothMax(cost.compute, cost.memory, c.overlap);
  return cost;
}

SizeList CpuAttention::SizesOf(const Attention& op) {
  return {{{{"batch", Number(op.batch)},
            {"queries", Number(op.queries)},
            {"keys", Number(op.keys)},
            {"heads", Number(op.heads)},
            {"head_dim", Number(op.head_dim)}}},
          5};
}

std::string_view CpuAttention::RegimeOf(const Attention& op) {
  if (op.queries == 1) return op.batch == 1 ? "one sequence" : "several sequences";
  return op.queries <= 128 ? "one block" : "several blocks";
}

std::string_view CpuAttention::FamilyOf(const Attention& op) {
  return AttentionFamilyOf(op);
}

std::string CpuAttention::FormatOf(const Attention& op) {
  return AttentionFormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(CpuAttention);

}  // namespace roofcast
