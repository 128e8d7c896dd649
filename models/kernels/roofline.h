// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalar.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// The shape that the kernels of this folder share; see KernelCoefficients for the equation.
template <class T>
Cost<T> Roofline(
    Flops work, FlopRate peak, Bytes traffic, Bandwidth bandwidth, const KernelCoefficients<T>& c) {
  Cost<T> cost;
  cost.work = work;
  cost.traffic = traffic;
  cost.intercept = c.intercept;
  cost.compute = (work / peak) / c.compute_efficiency;
  cost.memory = (traffic / bandwidth) / c.memory_efficiency;
  cost.time = cost.intercept + SmoothMax(cost.compute, cost.memory, c.overlap_exponent);
  cost.bound = BoundOf(cost);
  return cost;
}

// Ends each kernel's .cpp: the closed set of scalars that its CostOf exists for.
#define ROOFCAST_INSTANTIATE_COST(Operator)                         \
  template Cost<double> CostOf<double>(                             \
      const Operator&, const Device&, const Coefficients<double>&); \
  template Cost<Dual> CostOf<Dual>(const Operator&, const Device&, const Coefficients<Dual>&)

}  // namespace roofcast
