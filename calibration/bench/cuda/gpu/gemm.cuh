// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>

#include "calibration/bench/cuda/gpu/gpu.cuh"
#include "calibration/bench/cuda/tables.h"

namespace roofcast::bench::cuda {

// cuBLASLt of the current device, with the memory that its kernels may work in.
class Blas {
 public:
  Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() { cublasLtDestroy(handle_); }

  cublasLtHandle_t handle() const { return handle_; }
  void* workspace() const { return workspace_.As<void>(); }
  static constexpr std::int64_t kWorkspace = 32LL << 20;  // what NVIDIA advises for Hopper

 private:
  cublasLtHandle_t handle_ = nullptr;
  DeviceBuffer workspace_{kWorkspace};
};

// Whether the GPU has instructions for the format.
bool HasFormat(const Gpu& gpu, GemmFormat format);

// One product with its operands, by the algorithm that cuBLASLt's heuristics put first. Throws
// Unsupported when they have none, or memory is short.
class Gemm {
 public:
  Gemm(const Blas& blas, GemmFormat format, const GemmPoint& point, std::int64_t copies);
  ~Gemm();

  std::int64_t copies() const { return copies_; }
  static Kernel KernelOf(GemmFormat format);
  void Submit(cudaStream_t stream, std::int64_t copy) const;
  // Runs it and holds samples of the result against sums on the host: RelativeError.
  double Error() const;

 private:
  struct Descriptors;
  void Allocate();

  const Blas& blas_;
  GemmFormat format_;
  GemmPoint point_;
  std::int64_t copies_;
  std::int64_t weight_stride_ = 0;  // bytes between copies
  DeviceBuffer x_;                  // in the format; of fp8 what Submit quantises
  DeviceBuffer wide_x_;             // of fp8: bf16
  DeviceBuffer weights_;
  DeviceBuffer out_;
  DeviceBuffer one_;  // scale 1
  std::unique_ptr<Descriptors> descriptors_;
};

}  // namespace roofcast::bench::cuda
