// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/gpu.cuh"

namespace roofcast::bench::cuda {

DeviceBuffer::DeviceBuffer(std::int64_t bytes) : bytes_(bytes) {
  const cudaError_t status = cudaMalloc(&data_, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // the next call would report it again
    throw Unsupported("not enough memory");
  }
  ROOFCAST_GPU(status);
}

Gpu OpenGpu(int device) {
  int count = 0;
  ROOFCAST_GPU(cudaGetDeviceCount(&count));
  if (device >= count) {
    throw GpuError("--device: " + std::to_string(device) + ": there are " + std::to_string(count) +
                   " GPUs, counted from 0; give one of them");
  }
  Gpu gpu;
  gpu.device = device;
  ROOFCAST_GPU(cudaSetDevice(device));
  ROOFCAST_GPU(cudaGetDeviceProperties(&gpu.properties, device));
  return gpu;
}

std::int64_t ChooseCopies(const Footprint& footprint, std::int64_t wanted) {
  std::size_t free = 0;
  std::size_t total = 0;
  ROOFCAST_GPU(cudaMemGetInfo(&free, &total));
  // For graphs, the workspace of cuBLAS, and rounding of the copies.
  constexpr std::int64_t kReserve = 512LL << 20;
  const std::int64_t copies =
      CopiesThatFit(footprint, static_cast<std::int64_t>(free) - kReserve, wanted);
  if (copies == 0) throw Unsupported("not enough memory");
  return copies;
}

std::string CudaVersion() {
  int version = 0;
  ROOFCAST_GPU(cudaRuntimeGetVersion(&version));
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace roofcast::bench::cuda
