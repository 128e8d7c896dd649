// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/moe.h"

#include <ceres/jet.h>

#include "models/kernels/roofline.h"

namespace roofcast {

double FusedMoe::WidthOnRank() const {
  return Number(inter) / Number(tp);
}

template <class T>
Cost<T> CostOf(const FusedMoe& op, const Device& device, const Coefficients<T>& coefficients) {
  const RoutedLoad load = RouteTokens(op.tokens, op.per_token, op.experts, op.ep, op.routing);
  const double hidden = Number(op.hidden);
  const double width = op.WidthOnRank();
  const double ups = Number(op.Matrices() - 1);
  const double numbers = hidden * width * (ups + 1);
  const Bytes in = BytesOf(op.input);
  const Bytes out = BytesOf(op.output);
  const Bytes weights = load.active * numbers * BytesOf(op.weights) * op.weight_overhead;
  const Bytes products = load.rows * (hidden * (in + out) + width * (in + ups * out));
  const Bytes sides = load.rows * (4 * hidden + (ups + 1) * width) * out;
  Flops work(2 * load.rows * numbers);
  Bytes traffic = weights + products + sides;
  if (op.backward) {
    work *= 2;
    traffic = weights + load.active * numbers * BytesOf(op.gradients) + 2 * products + sides +
              load.rows * ups * width * out;
  }
  return Roofline<T>(
      work, device.PeakOf(op.math), traffic, device.memory.bandwidth, coefficients.grouped_gemm);
}

ROOFCAST_INSTANTIATE_COST(FusedMoe);

}  // namespace roofcast
