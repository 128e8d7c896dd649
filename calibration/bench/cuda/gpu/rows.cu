// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/kernels/rows.h"

#include <cuda_fp16.h>

#include <algorithm>

#include "calibration/bench/cuda/gpu/check.cuh"
#include "calibration/bench/cuda/gpu/cuda_block.cuh"
#include "calibration/bench/cuda/gpu/kernels.cuh"
#include "calibration/bench/cuda/kernels/example.h"

namespace roofcast::bench::cuda {
namespace {

using Bf16 = std::uint16_t;  // its bits

__global__ void AddKernel(const Bf16* x, const Bf16* y, Bf16* out, std::int64_t count) {
  Add(CudaBlock{}, x, y, out, count);
}
__global__ void SiluMulKernel(const Bf16* x, Bf16* out, std::int64_t count, std::int64_t cols) {
  SiluMul(CudaBlock{}, x, out, count, cols);
}
__global__ void GeluKernel(const Bf16* x, Bf16* out, std::int64_t count) {
  Gelu(CudaBlock{}, x, out, count);
}
__global__ void QuantiseKernel(const Bf16* x,
                               const float* scale,
                               std::uint8_t* out,
                               std::int64_t count) {
  QuantiseFp8(CudaBlock{}, x, scale, out, count);
}
__global__ void RmsNormKernel(const Bf16* x, const Bf16* weight, Bf16* out, std::int64_t cols) {
  RmsNorm(CudaBlock{}, x, weight, out, cols);
}
__global__ void SoftmaxKernel(const Bf16* x, Bf16* out, std::int64_t cols) {
  Softmax(CudaBlock{}, x, out, cols);
}
__global__ void NothingKernel() {}

__global__ void FillKernel(void* data, std::int64_t count, Filling filling, std::uint32_t seed) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    // A seed for each 2^32, lest numbers repeat.
    const float x =
        ExampleNumber(static_cast<std::uint32_t>(i), seed + static_cast<std::uint32_t>(i >> 32));
    switch (filling) {
      case Filling::kBf16:
        static_cast<Bf16*>(data)[i] = static_cast<Bf16>(CudaBlock::PackBf16(x, 0.0F));
        break;
      case Filling::kFp16:
        static_cast<__half*>(data)[i] = __float2half_rn(x);
        break;
      case Filling::kFp32:
        static_cast<float*>(data)[i] = x;
        break;
      case Filling::kE4m3:
        static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(CudaBlock::PackE4m3(x));
        break;
      case Filling::kInt8:
        static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(__float2int_rd(128 * x));
        break;
    }
  }
}

// One turn of kRowThreads threads, eight elements each.
unsigned BlocksFor(std::int64_t count) {
  constexpr std::int64_t kTurn = kRowThreads * 8;
  return static_cast<unsigned>(std::min<std::int64_t>((count + kTurn - 1) / kTurn, 1 << 30));
}

constexpr std::size_t kReduceShared = kRowThreads / kWarp * sizeof(float);

}  // namespace

void Fill(void* data, std::int64_t count, Filling filling, std::uint32_t seed) {
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(count / 256, 1, 4096));
  FillKernel<<<blocks, 256>>>(data, count, filling, seed);
  ROOFCAST_GPU(cudaGetLastError());
  ROOFCAST_GPU(cudaDeviceSynchronize());
}

void SubmitQuantise(cudaStream_t stream,
                    const std::uint16_t* x,
                    const float* scale,
                    std::uint8_t* out,
                    std::int64_t count) {
  QuantiseKernel<<<BlocksFor(count), kRowThreads, 0, stream>>>(x, scale, out, count);
  ROOFCAST_GPU(cudaGetLastError());
}

void SubmitRow(cudaStream_t stream, const RowPoint& point, const RowOperands& on) {
  const std::int64_t count = point.rows * point.cols;
  const unsigned blocks = BlocksFor(count);
  const auto rows = static_cast<unsigned>(point.rows);
  switch (point.op) {
    case RowOp::kCopy:
      ROOFCAST_GPU(cudaMemcpyAsync(on.out,
                                   on.x,
                                   static_cast<std::size_t>(count) * sizeof(Bf16),
                                   cudaMemcpyDeviceToDevice,
                                   stream));
      break;
    case RowOp::kAdd:
      AddKernel<<<blocks, kRowThreads, 0, stream>>>(on.x, on.y, on.out, count);
      break;
    case RowOp::kSiluMul:
      SiluMulKernel<<<blocks, kRowThreads, 0, stream>>>(on.x, on.out, count, point.cols);
      break;
    case RowOp::kGelu:
      GeluKernel<<<blocks, kRowThreads, 0, stream>>>(on.x, on.out, count);
      break;
    case RowOp::kRmsNorm:
      RmsNormKernel<<<rows, kRowThreads, kReduceShared, stream>>>(
          on.x, on.weight, on.out, point.cols);
      break;
    case RowOp::kSoftmax:
      SoftmaxKernel<<<rows, kRowThreads, kReduceShared, stream>>>(on.x, on.out, point.cols);
      break;
    case RowOp::kQuantiseFp8:
      QuantiseKernel<<<blocks, kRowThreads, 0, stream>>>(
          on.x, on.scale, reinterpret_cast<std::uint8_t*>(on.out), count);
      break;
  }
  ROOFCAST_GPU(cudaGetLastError());
}

void SubmitNothing(cudaStream_t stream) {
  NothingKernel<<<1, 32, 0, stream>>>();
  ROOFCAST_GPU(cudaGetLastError());
}

}  // namespace roofcast::bench::cuda
