// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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
  double weight_overhead = 1;      // bytes of W with its scales over those of its numbers alone
  std::int64_t batch = 1;          // products of this size in one launch, each with its own x and W
  std::int64_t scale_columns = 0;  // inputs of an output that share a scale; 0: all of them
  bool quantises_input = false;    // x comes in the format of the output and is narrowed first
  // How many matrices are used in turn, this one among them: a benchmark that cycles through a few
  // finds them in the last level cache. 0: so many that W always comes from memory, as in a model.
  std::int64_t weight_copies = 0;

  bool operator==(const Gemm&) const = default;
};

// What a product has to read and write at the least, all of its batch.
struct GemmTraffic {
  Bytes input;
  Bytes weights;
  Bytes output;
  Bytes quantising;  // reading the wide input and writing the narrow one

  Bytes Total() const { return input + weights + output + quantising; }
};
GemmTraffic TrafficOf(const Gemm& op);
Flops WorkOf(const Gemm& op);

// The word for its number formats, by which fits are found: "bf16", "fp8" (scales of a tensor, a
// token or an output), "fp8_block" (of blocks), "nvfp4", "mxfp4", "int8_sq" (both int8), and
// "int8_wo", "int4_wo" where weights alone are narrow.
std::string FormatOf(const Gemm& op);

// The slower of arithmetic and memory traffic, plus the launch:
//   t = t0 + smoothmax_p(2 m n k / (e_c P), (m k b_x + n k b_w s + m n b_out + q) / (e_m B))
// with s the overhead of the weights' scales and q = m k (b_out + b_x) where the input is quantised
// first; all of it times the batch.
// Source: [williams2009roofline]. Range: m, n, k, batch >= 1.
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
