// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/bench/cuda/gpu/gpu.cuh"
#include "calibration/bench/cuda/tables.h"

namespace roofcast::bench::cuda {

// One operator on rows of bf16 with its operands, on this project's own kernels; a copy is
// cudaMemcpyAsync.
class RowRun {
 public:
  RowRun(const RowPoint& point, std::int64_t copies);

  std::int64_t copies() const { return copies_; }
  Kernel KernelName() const;
  void Submit(cudaStream_t stream, std::int64_t copy) const;
  // Runs it and holds the whole result against the formula: RelativeError.
  double Error() const;

 private:
  RowPoint point_;
  std::int64_t copies_;
  std::int64_t input_stride_ = 0;  // bytes of x, and of y behind it where there is one
  std::int64_t stride_ = 0;        // of a copy
  DeviceBuffer rotated_;
  DeviceBuffer weight_;
  DeviceBuffer one_;  // scale 1
};

}  // namespace roofcast::bench::cuda
