// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// A pass over memory with little arithmetic: norm, activation, residual add, rotation, softmax of
// the loss, sampling, optimizer step. `traffic` is what it reads and writes.
struct Elementwise {
  Bytes traffic;
  Flops work;  // on the vector units

  bool operator==(const Elementwise&) const = default;
};

// t = t0 + smoothmax_p(work / (e_c V), traffic / (e_m B)), V the vector peak.
// Source: [williams2009roofline]. Range: traffic > 0.
template <class T>
Cost<T> CostOf(const Elementwise& op, const Device& device, const Coefficients<T>& coefficients);

}  // namespace roofcast
