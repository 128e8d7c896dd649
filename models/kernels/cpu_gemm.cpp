// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/cpu_gemm.h"

#include <ceres/jet.h>

namespace roofcast {

CpuGemm::Features CpuGemm::Prepare(const Gemm& op, const Device& device, const Kernel& /*kernel*/) {
  const double m = Number(op.m);
  const double n = Number(op.n);
  const double k = Number(op.k);
  const Bytes weights = n * k * BytesOf(op.weights) * op.weight_overhead;
  return {m,
          n,
          k,
          2 * m * n * k / RateOf(device, op.math),
          weights.value() / DeviceRates::Of(device).bandwidth};
}

template <class T>
FormCost<T> CpuGemm::TimeOf(const Features& f, const Coefficients<T>& c) {
  FormCost<T> cost;
  cost.intercept = c.intercept;
  if (f.rows == 1) {
    cost.memory = f.memory / c.vector_factor * (1.0 + c.vector_half_depth / f.depth);
    cost.time = c.intercept + cost.memory;
    return cost;
  }
  cost.compute = f.compute / c.compute_factor * (1.0 + c.half_rows / f.rows) *
                 (1.0 + c.half_columns / f.columns) * (1.0 + c.half_depth / f.depth);
  cost.memory = f.memory / c.memory_factor;
  cost.time = c.intercept + SmoothMax(cost.compute, cost.memory, c.overlap);
  return cost;
}

SizeList CpuGemm::SizesOf(const Gemm& op) {
  return {{{{"m", Number(op.m)}, {"n", Number(op.n)}, {"k", Number(op.k)}}}, 3};
}

std::string_view CpuGemm::RegimeOf(const Gemm& op) {
  if (op.m == 1) return "m = 1";
  return op.m <= 16 ? "m 2..16" : "m > 16";
}

std::string_view CpuGemm::FamilyOf(const Gemm& /*op*/) {
  return "gemm";
}

std::string CpuGemm::FormatOf(const Gemm& op) {
  return roofcast::FormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(CpuGemm);

}  // namespace roofcast
