// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/check.cuh"

#include <string_view>

namespace roofcast::bench::cuda {
namespace {

std::string CureOf(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return "run it on a machine with an NVIDIA GPU, and look whether CUDA_VISIBLE_DEVICES hides "
             "it";
    case cudaErrorInsufficientDriver:
      return "there is no NVIDIA driver here, or one older than CUDA " +
             std::to_string(CUDART_VERSION / 1000) + "." +
             std::to_string(CUDART_VERSION % 1000 / 10) + " asks for; install a newer one";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build it for this GPU: cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES=native";
    case cudaErrorMemoryAllocation:
      return "free memory of the GPU (nvidia-smi shows who holds it) or lower --copies";
    case cudaErrorInvalidDevice:
      return "give --device the number of a GPU that nvidia-smi lists";
    case cudaErrorDevicesUnavailable:
      return "another process holds the GPU alone (compute mode); wait for it or end it";
    default:
      return "look into the kernel log (dmesg) for Xid errors; compute-sanitizer shows a bad "
             "access";
  }
}

std::string CureOf(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "free memory of the GPU (nvidia-smi shows who holds it)";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "this cuBLAS doesn't know the GPU; use the one of a newer CUDA";
    default:
      return "CUBLASLT_LOG_LEVEL=5 in the environment shows the call";
  }
}

}  // namespace

void Fail(const char* call,
          const char* file,
          int line,
          const std::string& what,
          const std::string& cure) {
  std::string_view place = file;
  place.remove_prefix(place.rfind('/') + 1);
  std::string_view name = call;
  name = name.substr(0, name.find('('));
  throw GpuError(std::string(place) + ":" + std::to_string(line) + ": " + std::string(name) + ": " +
                 what + "; " + cure);
}

void Check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  Fail(call, file, line, cudaGetErrorString(status), CureOf(status));
}

void Check(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  Fail(call, file, line, cublasLtGetStatusString(status), CureOf(status));
}

}  // namespace roofcast::bench::cuda
