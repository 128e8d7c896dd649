// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm.h"

#include <ceres/jet.h>

#include <cmath>

#include "models/kernels/roofline.h"

namespace roofcast {
template <class T>
Cost<T> CostOf(const Gemm& op, const Device& device, const Coefficients<T>& coefficients) {
  const double m = Number(op.m);
  const double n = Number(op.n);
  const double k = Number(op.k);
  const Bytes traffic = m * k * BytesOf(op.input) +
                        n * k * BytesOf(op.weights) * op.weight_overhead +
                        m * n * BytesOf(op.output);
  return Roofline<T>(Flops(2 * m * n * k),
                     device.PeakOf(op.math),
                     traffic,
                     device.memory.bandwidth,
                     coefficients.gemm);
}

template <class T>
Cost<T> CostOf(const GroupedGemm& op, const Device& device, const Coefficients<T>& coefficients) {
  const double rows = Number(op.rows);
  const double n = Number(op.n);
  const double k = Number(op.k);
  const Bytes traffic = rows * k * BytesOf(op.input) +
                        op.active * n * k * BytesOf(op.weights) * op.weight_overhead +
                        rows * n * BytesOf(op.output);
  return Roofline<T>(Flops(2 * rows * n * k),
                     device.PeakOf(op.math),
                     traffic,
                     device.memory.bandwidth,
                     coefficients.grouped_gemm);
}

double ExpectedActiveExperts(std::int64_t experts, std::int64_t per_token, std::int64_t tokens) {
  const double missed = 1 - Number(per_token) / Number(experts);
  return Number(experts) * (1 - std::pow(missed, Number(tokens)));
}

ROOFCAST_INSTANTIATE_COST(Gemm);
ROOFCAST_INSTANTIATE_COST(GroupedGemm);

}  // namespace roofcast
