// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of this folder are plain C++, templated on the block of threads that runs them: its
// threads, shared memory, barriers, matrix units. gpu/cuda_block.cuh is the real one; the tests
// bring one that runs on a CPU, so that every kernel is checked where there is no GPU.
#ifdef __CUDACC__
#define ROOFCAST_DEVICE __device__ __forceinline__
#define ROOFCAST_HOST_DEVICE __host__ __device__ inline
#define ROOFCAST_UNROLL _Pragma("unroll")
#else
#define ROOFCAST_DEVICE inline
#define ROOFCAST_HOST_DEVICE inline
#define ROOFCAST_UNROLL
#endif

#include <cstdint>

namespace roofcast::bench::cuda {

constexpr int kWarp = 32;

// 16 bytes: what one thread moves at a time, and what four 8x8 matrices leave with a thread.
struct alignas(16) Words {
  std::uint32_t word[4];
};

// bf16 is the upper half of a float.
ROOFCAST_DEVICE float FloatOfBits(std::uint32_t bits) {
#ifdef __CUDACC__
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}
ROOFCAST_DEVICE float LowBf16(std::uint32_t pair) {
  return FloatOfBits(pair << 16U);
}
ROOFCAST_DEVICE float HighBf16(std::uint32_t pair) {
  return FloatOfBits(pair & 0xFFFF0000U);
}

}  // namespace roofcast::bench::cuda
