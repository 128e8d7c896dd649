// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// out[m,n] = x[m,k] W[n,k]^T on one device.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  DType math = DType::kBf16;     // rate it runs at
  DType input = DType::kBf16;    // x
  DType weights = DType::kBf16;  // W
  DType output = DType::kBf16;
  double weight_overhead = 1;  // bytes of W with its scales over those of its numbers alone

  bool operator==(const Gemm&) const = default;
};

// The slower of arithmetic and memory traffic, plus the launch:
//   t = t0 + smoothmax_p(2 m n k / (e_c P), (m k b_x + n k b_w s + m n b_out) / (e_m B))
// with s the overhead of the weights' scales.
// Source: [williams2009roofline]. Range: m, n, k >= 1.
template <class T>
Cost<T> CostOf(const Gemm& op, const Device& device, const Coefficients<T>& coefficients);

// One matrix product per expert, `rows` tokens spread over `experts` weight matrices of n x k, of
// which `active` receive tokens (expected value).
struct GroupedGemm {
  std::int64_t rows = 0;  // tokens times experts per token
  std::int64_t n = 0;
  std::int64_t k = 0;
  double active = 0;
  DType math = DType::kBf16;
  DType input = DType::kBf16;
  DType weights = DType::kBf16;
  DType output = DType::kBf16;
  double weight_overhead = 1;

  bool operator==(const GroupedGemm&) const = default;
};

// As Gemm, but each active expert's weights are read:
//   traffic = rows k b_x + active n k b_w s + rows n b_out
// Range: rows, n, k >= 1, active > 0.
template <class T>
Cost<T> CostOf(const GroupedGemm& op, const Device& device, const Coefficients<T>& coefficients);

// Experts that receive at least one of `tokens` tokens when each token picks `per_token` of
// `experts` at random: E (1 - (1 - k/E)^tokens). Exact for independent uniform routing.
double ExpectedActiveExperts(std::int64_t experts, std::int64_t per_token, std::int64_t tokens);

}  // namespace roofcast
