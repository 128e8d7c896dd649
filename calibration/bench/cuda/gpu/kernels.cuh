// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "calibration/bench/cuda/grid.h"

namespace roofcast::bench::cuda {

// Fills memory with example numbers of a format (kernels/example.h): [-1, 1), of int8 its whole
// range.
enum class Filling : std::uint8_t { kBf16, kFp16, kFp32, kE4m3, kInt8 };
void Fill(void* data, std::int64_t count, Filling filling, std::uint32_t seed);

// out = x / scale in e4m3, for `count` elements of bf16, a multiple of 8.
void SubmitQuantise(cudaStream_t stream,
                    const std::uint16_t* x,
                    const float* scale,
                    std::uint8_t* out,
                    std::int64_t count);

// Where a row operator reads and writes; which of them it uses depends on it.
struct RowOperands {
  const std::uint16_t* x;
  const std::uint16_t* y;
  const std::uint16_t* weight;
  const float* scale;
  std::uint16_t* out;
};
void SubmitRow(cudaStream_t stream, const RowPoint& point, const RowOperands& operands);

void SubmitNothing(cudaStream_t stream);  // an empty kernel

}  // namespace roofcast::bench::cuda
