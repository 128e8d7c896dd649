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

std::vector<ElementwiseKind> StandInsFor(ElementwiseKind kind) {
  using enum ElementwiseKind;
  switch (kind) {
    case kAdd:
      return {kActivation, kOther, kQuantise};
    case kActivation:
      return {kAdd, kOther, kQuantise};
    case kGatedActivation:
      return {kActivation, kQuantise, kAdd};
    case kNorm:
      return {kSoftmax, kQuantise, kQuantiseDynamic, kAdd};
    case kSoftmax:
      return {kNorm, kQuantise, kAdd};
    case kRotary:
      return {kQuantise, kGatedActivation, kAdd};
    case kKvWrite:
      return {kRotary, kQuantise, kAdd};
    case kQuantise:
      return {kActivation, kAdd};
    case kQuantiseDynamic:
      return {kNorm, kQuantise, kSoftmax, kAdd};
    case kSampling:
    case kLoss:
      return {kSoftmax, kNorm, kAdd, kQuantise};
    case kOther:
    case kPermute:
    case kOptimizer:
      break;
  }
  return {kAdd, kActivation, kQuantise};
}

ROOFCAST_INSTANTIATE_COST(Elementwise);

}  // namespace roofcast
