// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace roofcast::bench::cuda {

// A call to a GPU or its libraries failed: "gemm.cu:42: cublasLtMatmul: what is wrong; what to do".
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This operator can't run on this GPU, others can: the message is the reason, by which they are
// counted.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void Check(cudaError_t status, const char* call, const char* file, int line);
void Check(cublasStatus_t status, const char* call, const char* file, int line);
[[noreturn]] void Fail(
    const char* call, const char* file, int line, const std::string& what, const std::string& cure);

#define ROOFCAST_GPU(call) ::roofcast::bench::cuda::Check((call), #call, __FILE__, __LINE__)

}  // namespace roofcast::bench::cuda
