// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// Gathers one row of `width` numbers for each token.
struct Embedding {
  std::int64_t tokens = 0;
  std::int64_t width = 0;
  DType dtype = DType::kBf16;

  bool operator==(const Embedding&) const = default;
};

// t = t0 + 2 tokens width b / (e_m B): each row is read and written once.
// Range: tokens, width >= 1.
template <class T>
Cost<T> CostOf(const Embedding& op, const Device& device, const Coefficients<T>& coefficients);

}  // namespace roofcast
