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

// A row operator in double precision. `x` holds its input, or both one after the other (of silu_mul
// each row's gates and ups); `weight` is that of rmsnorm.
std::vector<double> ReferenceRow(const RowPoint& point,
                                 const std::vector<double>& x,
                                 const std::vector<double>& weight);

// What RelativeError may be. Rounding to bf16 is off by 2^-9 of a result, which may be some four
// times the root mean square; weights of attention are rounded once more.
inline constexpr double kBf16Tolerance = 0.03;
double ToleranceOf(GemmFormat format);
double ToleranceOf(RowOp op);

// Numbers in [-1, 1) that any place can work out again: `seed` and the index decide.
std::vector<float> ExampleNumbers(std::int64_t count, std::uint32_t seed);

}  // namespace roofcast::bench::cuda
