// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/elementwise.h"

#include <ceres/jet.h>

#include "models/kernels/roofline.h"

namespace roofcast {

template <class T>
Cost<T> CostOf(const Elementwise& op, const Device& device, const Coefficients<T>& coefficients) {
  return Roofline<T>(
      op.work, device.VectorPeak(), op.traffic, device.memory.bandwidth, coefficients.elementwise);
}

ROOFCAST_INSTANTIATE_COST(Elementwise);

}  // namespace roofcast
