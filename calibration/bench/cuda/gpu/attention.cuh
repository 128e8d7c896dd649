// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/gpu/gpu.cuh"
#include "calibration/bench/cuda/kernels/flash_decode.h"
#include "calibration/bench/cuda/tables.h"

namespace roofcast::bench::cuda {

// One attention in bf16 with its operands, on this project's own kernels: FlashAttention-2's
// algorithm on mma.m16n8k16. Libraries have faster ones for Hopper and later. Needs
// compute capability 8.0. The new keys and values are in the cache already.
class AttentionRun {
 public:
  AttentionRun(const Gpu& gpu, const AttentionPoint& point, std::int64_t copies);

  std::int64_t copies() const { return copies_; }
  Kernel KernelName() const;
  void Submit(cudaStream_t stream, std::int64_t copy) const;
  // Runs it and holds the whole result against the reference: RelativeError.
  double Error() const;

 private:
  AttentionTensors TensorsOf(std::int64_t copy) const;

  AttentionPoint point_;
  std::int64_t copies_;
  std::int64_t cache_stride_ = 0;  // bytes of one copy's keys, and of its values
  std::int64_t splits_ = 1;        // of a decode
  DeviceBuffer q_;
  DeviceBuffer cache_;  // keys then values of each copy
  DeviceBuffer out_;
  DeviceBuffer partial_out_;
  DeviceBuffer partial_tops_;
};

}  // namespace roofcast::bench::cuda
