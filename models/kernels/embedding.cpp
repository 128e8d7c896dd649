// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/embedding.h"

#include <ceres/jet.h>

#include "models/kernels/roofline.h"

namespace roofcast {

template <class T>
Cost<T> CostOf(const Embedding& op, const Device& device, const Coefficients<T>& coefficients) {
  const double elements = Number(op.tokens) * Number(op.width);
  const Bytes traffic = 2 * elements * BytesOf(op.dtype);
  return Roofline<T>(
      Flops(0), device.VectorPeak(), traffic, device.memory.bandwidth, coefficients.embedding);
}

ROOFCAST_INSTANTIATE_COST(Embedding);

}  // namespace roofcast
