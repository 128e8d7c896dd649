// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/attention.cuh"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "calibration/bench/cuda/gpu/cuda_block.cuh"
#include "calibration/bench/cuda/gpu/kernels.cuh"
#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"
#include "core/version.h"

namespace roofcast::bench::cuda {
namespace {

// Two blocks to a multiprocessor: with three, registers of wide heads spill.
template <int kDim>
__global__ void __launch_bounds__(kPrefillThreads, 2) PrefillKernel(AttentionTensors at) {
  FlashPrefill<kDim>(CudaBlock{}, at);
}

template <int kDim>
__global__ void __launch_bounds__(kDecodeThreads) DecodeKernel(AttentionTensors at,
                                                               DecodePartials partials,
                                                               std::int64_t splits,
                                                               std::int64_t batch) {
  FlashDecode<kDim>(CudaBlock{}, at, partials, splits, batch);
}

template <int kDim>
__global__ void CombineKernel(DecodePartials partials,
                              std::int64_t splits,
                              std::int64_t rows,
                              std::uint16_t* out) {
  CombineSplits<kDim>(CudaBlock{}, partials, splits, rows, out);
}

// Calls `use` with the head's width as a constant.
template <class Use>
void WithDim(std::int64_t dim, const Use& use) {
  if (dim == 64) {
    use(std::integral_constant<int, 64>());
  } else if (dim == 128) {
    use(std::integral_constant<int, 128>());
  } else {
    throw Unsupported("heads are neither 64 nor 128 wide");
  }
}

template <class KernelPointer>
void AllowShared(KernelPointer kernel, int bytes) {
  ROOFCAST_GPU(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// Blocks of a decode that are on the device at once.
template <int kDim>
std::int64_t ResidentBlocks(const Gpu& gpu) {
  int blocks = 0;
  ROOFCAST_GPU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, DecodeKernel<kDim>, kDecodeThreads, kDecodeShared<kDim>));
  return std::int64_t{blocks} * gpu.properties.multiProcessorCount;
}

std::int64_t RowTilesOf(const AttentionPoint& point) {
  return point.kv_heads *
         DecodeRowTiles(static_cast<int>(point.heads), static_cast<int>(point.kv_heads));
}

}  // namespace

AttentionRun::AttentionRun(const Gpu& gpu, const AttentionPoint& point, std::int64_t copies)
    : point_(point), copies_(ChooseCopies(FootprintOf(point), copies)) {
  if (!gpu.AtLeast(8, 0)) throw Unsupported("bf16 attention needs compute capability 8.0");
  const std::int64_t queries = point.batch * point.q_len * point.heads * point.head_dim;
  const std::int64_t keys = point.batch * point.kv_len * point.kv_heads * point.head_dim;
  cache_stride_ = Aligned(keys * 2);
  q_ = DeviceBuffer(queries * 2);
  out_ = DeviceBuffer(queries * 2);
  cache_ = DeviceBuffer(copies_ * 2 * cache_stride_);
  Fill(q_.As<void>(), queries, Filling::kBf16, 1);
  Fill(cache_.As<void>(), cache_.bytes() / 2, Filling::kBf16, 2);

  WithDim(point.head_dim, [&](auto dim) {
    AllowShared(PrefillKernel<dim()>, kPrefillShared<dim()>);
    AllowShared(DecodeKernel<dim()>, kDecodeShared<dim()>);
    if (point.q_len > 1) return;
    const std::int64_t seen =
        point.window > 0 ? std::min(point.window, point.kv_len) : point.kv_len;
    splits_ = DecodeSplits(RowTilesOf(point) * point.batch, seen, ResidentBlocks<dim()>(gpu));
  });
  if (splits_ > 1) {
    const std::int64_t rows = splits_ * point.batch * point.heads;
    partial_out_ = DeviceBuffer(rows * point.head_dim * 4);
    partial_tops_ = DeviceBuffer(rows * 2 * 4);
  }
}

Kernel AttentionRun::KernelName() const {
  const char* const name =
      point_.q_len == 1 ? "roofcast_flash_decode_mma_sm80" : "roofcast_flash_prefill_mma_sm80";
  return {"roofcast", std::string(kVersion), name};
}

AttentionTensors AttentionRun::TensorsOf(std::int64_t copy) const {
  const double scale = std::numbers::log2e / std::sqrt(static_cast<double>(point_.head_dim));
  return {q_.As<std::uint16_t>(),
          cache_.As<std::uint16_t>(2 * copy * cache_stride_),
          cache_.As<std::uint16_t>((2 * copy + 1) * cache_stride_),
          out_.As<std::uint16_t>(),
          point_.q_len,
          point_.kv_len,
          point_.window,
          static_cast<int>(point_.heads),
          static_cast<int>(point_.kv_heads),
          static_cast<float>(scale)};
}

void AttentionRun::Submit(cudaStream_t stream, std::int64_t copy) const {
  const AttentionTensors at = TensorsOf(copy);
  const auto batch = static_cast<unsigned>(point_.batch);
  WithDim(point_.head_dim, [&](auto dim) {
    if (point_.q_len > 1) {
      const std::int64_t tiles = (point_.q_len + kPrefillQueries - 1) / kPrefillQueries;
      const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(point_.heads), batch);
      PrefillKernel<dim()><<<grid, kPrefillThreads, kPrefillShared<dim()>, stream>>>(at);
    } else {
      const DecodePartials partials{partial_out_.As<float>(), partial_tops_.As<float>()};
      const dim3 grid(
          static_cast<unsigned>(splits_), static_cast<unsigned>(RowTilesOf(point_)), batch);
      DecodeKernel<dim()><<<grid, kDecodeThreads, kDecodeShared<dim()>, stream>>>(
          at, partials, splits_, point_.batch);
      if (splits_ > 1) {
        const std::int64_t rows = point_.batch * point_.heads;
        CombineKernel<dim()>
            <<<static_cast<unsigned>(rows), dim(), 0, stream>>>(partials, splits_, rows, at.out);
      }
    }
  });
  ROOFCAST_GPU(cudaGetLastError());
}

double AttentionRun::Error() const {
  ROOFCAST_GPU(cudaMemset(out_.As<void>(), 0xFF, static_cast<std::size_t>(out_.bytes())));
  const Stream stream;
  Submit(stream, copies_ - 1);
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  const std::int64_t keys = point_.batch * point_.kv_len * point_.kv_heads * point_.head_dim;
  const std::int64_t start = 2 * (copies_ - 1) * cache_stride_;
  std::vector<double> got;
  for (const std::uint16_t bits : out_.ToHost<std::uint16_t>(0, out_.bytes() / 2)) {
    got.push_back(FloatOfBf16(bits));
  }
  return RelativeError(
      got,
      ReferenceAttention(point_,
                         q_.ToHost<std::uint16_t>(0, q_.bytes() / 2),
                         cache_.ToHost<std::uint16_t>(start, keys),
                         cache_.ToHost<std::uint16_t>(start + cache_stride_, keys)));
}

}  // namespace roofcast::bench::cuda
