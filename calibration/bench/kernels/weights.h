// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "calibration/bench/kernels/matmul.h"
#include "calibration/bench/kernels/memory.h"
#include "core/dtype.h"

namespace roofcast::bench {

// A weight matrix W[n,k] of small random numbers that follow from its seed, and, in memory, its
// copies in the orders that products with it have asked for.
class Matrix {
 public:
  Matrix(DType dtype, std::int64_t n, std::int64_t k, std::uint32_t seed);
  // The number at row i and column j before it is rounded to the format: uniform, with a spread
  // that keeps products as large as their input.
  float At(std::int64_t i, std::int64_t j) const;
  // In the order of the product; packed on first use.
  const std::byte* PackedFor(const MatMul& product);
  // Row after row.
  const std::byte* Rows();

 private:
  Buffer MakeRows() const;

  DType dtype_;
  std::int64_t n_;
  std::int64_t k_;
  std::uint32_t seed_;
  std::vector<std::pair<std::string, Buffer>> packed_;
};

}  // namespace roofcast::bench
