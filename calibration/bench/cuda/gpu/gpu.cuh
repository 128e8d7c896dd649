// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "calibration/bench/cuda/gpu/check.cuh"
#include "calibration/bench/cuda/grid.h"

namespace roofcast::bench::cuda {

// Memory of the current device. Throws Unsupported when there is not enough.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::int64_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }  // nothing can be done when it fails

  template <class T>
  T* As(std::int64_t offset_bytes = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + offset_bytes);
  }
  std::int64_t bytes() const { return bytes_; }

  template <class T>
  std::vector<T> ToHost(std::int64_t offset_bytes, std::int64_t count) const {
    std::vector<T> host(static_cast<std::size_t>(count));
    ROOFCAST_GPU(cudaMemcpy(
        host.data(), As<T>(offset_bytes), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  template <class T>
  void FromHost(const std::vector<T>& host) {
    ROOFCAST_GPU(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

class Stream {
 public:
  Stream() { ROOFCAST_GPU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT: it stands for it

 private:
  cudaStream_t stream_ = nullptr;
};

// Copies of something that are taken in turn, each at a multiple of 256 bytes.
inline std::int64_t Aligned(std::int64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// The GPU that is measured.
struct Gpu {
  int device = 0;
  cudaDeviceProp properties{};

  bool AtLeast(int major, int minor) const {
    return properties.major > major || (properties.major == major && properties.minor >= minor);
  }
};
// Chooses the device. Throws GpuError when there is none.
Gpu OpenGpu(int device);

// Copies of what an operator rotates that fit into free memory, up to `wanted`. Throws Unsupported
// when not even one does.
std::int64_t ChooseCopies(const Footprint& footprint, std::int64_t wanted);

// "13.0" of 13000.
std::string CudaVersion();

}  // namespace roofcast::bench::cuda
