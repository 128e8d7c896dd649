// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/bench/cuda/grid.h"

namespace roofcast::bench::cuda {

// Attention in double precision on the host, from and to rows laid out as kernels/flash_prefill.h
// says: out = softmax(Q K^T / sqrt(dim)) V over the keys that each query sees. `q`, `k` and `v`
// hold bf16.
std::vector<double> ReferenceAttention(const AttentionPoint& point,
                                       const std::vector<std::uint16_t>& q,
                                       const std::vector<std::uint16_t>& k,
                                       const std::vector<std::uint16_t>& v);

// The largest |got - wanted| over the root mean square of `wanted`; infinite when a number isn't
// one, or none is there.
double RelativeError(const std::vector<double>& got, const std::vector<double>& wanted);

// What a sum of products in bf16 may be off by: each result is rounded to 8 bits (2^-9), weights
// are once more, and results above the root mean square carry their own rounding.
inline constexpr double kBf16Tolerance = 0.03;

// Numbers in [-1, 1) that any place can work out again: `seed` and the index decide.
std::vector<float> ExampleNumbers(std::int64_t count, std::uint32_t seed);

}  // namespace roofcast::bench::cuda
