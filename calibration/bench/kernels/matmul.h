// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace roofcast::bench {

// out[m,n] = x[m,k] W[n,k]^T by oneDNN, with the weights in whatever order its kernel likes best.
// Formats: fp32 and bf16 throughout; int8 is unsigned x, signed weights and fp32 out, which every
// processor has instructions for.
class MatMul {
 public:
  // Throws ArgumentError when this processor can't multiply the format.
  MatMul(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k);
  ~MatMul();
  MatMul(MatMul&&) noexcept;
  MatMul& operator=(MatMul&&) noexcept;

  std::int64_t m() const { return m_; }
  std::int64_t n() const { return n_; }
  std::int64_t k() const { return k_; }
  DType dtype() const { return dtype_; }
  std::size_t WeightBytes() const;
  std::string Layout() const;  // of the weights: the same text, the same order
  std::string Kernel() const;  // oneDNN's name of the kernel it chose

  // Brings W[n,k], row after row in the format of the weights, into its order.
  void Pack(const void* weights, void* packed) const;
  void Run(const void* x, const void* packed, void* out) const;

 private:
  struct Primitive;
  DType dtype_;
  std::int64_t m_;
  std::int64_t n_;
  std::int64_t k_;
  std::unique_ptr<Primitive> primitive_;
};

// out[b] = x[b] y[b] for matrices b < batch that lie `*_batch` numbers apart; x has m rows of k, y
// has k rows of n, and rows and columns lie as far apart as said. Formats are each operand's own.
struct BatchedOperand {
  DType dtype = DType::kFp32;
  std::int64_t batch = 0;   // distance of matrices
  std::int64_t row = 0;     // distance of rows
  std::int64_t column = 1;  // distance of columns
};
class BatchedMatMul {
 public:
  BatchedMatMul(std::int64_t batch,
                std::int64_t m,
                std::int64_t n,
                std::int64_t k,
                const BatchedOperand& x,
                const BatchedOperand& y,
                const BatchedOperand& out);
  ~BatchedMatMul();
  BatchedMatMul(BatchedMatMul&&) noexcept;
  BatchedMatMul& operator=(BatchedMatMul&&) noexcept;

  void Run(const void* x, const void* y, void* out) const;

 private:
  struct Primitive;
  std::unique_ptr<Primitive> primitive_;
};

// Those of fp32, bf16 and int8 that oneDNN multiplies on this processor.
std::vector<DType> MultipliedFormats();
// "2.6.3".
std::string OneDnnVersion();
// How many threads oneDNN and ParallelFor run on.
void SetThreads(int threads);

}  // namespace roofcast::bench
