// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/gemm.cuh"

#include <algorithm>

#include "calibration/bench/cuda/gpu/kernels.cuh"
#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"

namespace roofcast::bench::cuda {
namespace {

struct Types {
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  Filling filling;
  std::int64_t in_bytes;
  std::int64_t out_bytes;
};

Types TypesOf(GemmFormat format) {
  switch (format) {
    case GemmFormat::kBf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, Filling::kBf16, 2, 2};
    case GemmFormat::kFp16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, Filling::kFp16, 2, 2};
    case GemmFormat::kFp8:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, Filling::kE4m3, 1, 2};
    case GemmFormat::kInt8:
      return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, Filling::kInt8, 1, 4};
    case GemmFormat::kTf32:
      return {
          CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, Filling::kFp32, 4, 4};
    case GemmFormat::kFp32:
      break;
  }
  return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, Filling::kFp32, 4, 4};
}

// An element of a matrix that was copied to the host.
double Decoded(const std::vector<std::uint8_t>& bytes, std::int64_t index, cudaDataType_t type) {
  const auto read = [&]<class T>(T) {
    T value;
    std::copy_n(bytes.data() + index * static_cast<std::int64_t>(sizeof(T)),
                sizeof(T),
                reinterpret_cast<std::uint8_t*>(&value));
    return value;
  };
  switch (type) {
    case CUDA_R_16BF:
      return FloatOfBf16(read(std::uint16_t{}));
    case CUDA_R_16F:
      return FloatOfFp16(read(std::uint16_t{}));
    case CUDA_R_8F_E4M3:
      return FloatOfE4m3(read(std::uint8_t{}));
    case CUDA_R_8I:
      return read(std::int8_t{});
    case CUDA_R_32I:
      return read(std::int32_t{});
    default:
      return read(float{});
  }
}

template <class T>
void Set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  ROOFCAST_GPU(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)));
}

}  // namespace

Blas::Blas() {
  ROOFCAST_GPU(cublasLtCreate(&handle_));
}

bool HasFormat(const Gpu& gpu, GemmFormat format) {
  switch (format) {
    case GemmFormat::kBf16:
    case GemmFormat::kTf32:
      return gpu.AtLeast(8, 0);
    case GemmFormat::kFp8:
      return gpu.AtLeast(8, 9);
    case GemmFormat::kInt8:
      return gpu.AtLeast(7, 5);
    default:
      return true;
  }
}

Kernel Gemm::KernelOf(GemmFormat format) {
  const std::size_t version = cublasLtGetVersion();  // 130002: 13.0.2
  const std::string text = std::to_string(version / 10000) + "." +
                           std::to_string(version / 100 % 100) + "." +
                           std::to_string(version % 100);
  switch (format) {
    case GemmFormat::kFp8:
      return {"cublaslt", text, "static_quant+cublaslt"};
    case GemmFormat::kInt8:
      return {"cublaslt", text, "cublaslt_int32_out"};
    default:
      return {"cublaslt", text, "cublaslt"};
  }
}

// Rows of x, W and out are columns to cuBLASLt, which so sees out'[n,m] = W'^T[n,k] x'[k,m].
struct Gemm::Descriptors {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t weights = nullptr;
  cublasLtMatrixLayout_t x = nullptr;
  cublasLtMatrixLayout_t out = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t chosen{};

  Descriptors(const Types& types, const GemmPoint& point) {
    ROOFCAST_GPU(cublasLtMatmulDescCreate(&operation, types.compute, types.scale));
    Set(operation, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    Set(operation, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    const auto m = static_cast<std::uint64_t>(point.m);
    const auto n = static_cast<std::uint64_t>(point.n);
    const auto k = static_cast<std::uint64_t>(point.k);
    ROOFCAST_GPU(cublasLtMatrixLayoutCreate(&weights, types.in, k, n, point.k));
    ROOFCAST_GPU(cublasLtMatrixLayoutCreate(&x, types.in, k, m, point.k));
    ROOFCAST_GPU(cublasLtMatrixLayoutCreate(&out, types.out, n, m, point.n));
    ROOFCAST_GPU(cublasLtMatmulPreferenceCreate(&preference));
    const std::uint64_t workspace = Blas::kWorkspace;
    ROOFCAST_GPU(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)));
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  ~Descriptors() {
    if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
    if (out != nullptr) cublasLtMatrixLayoutDestroy(out);
    if (x != nullptr) cublasLtMatrixLayoutDestroy(x);
    if (weights != nullptr) cublasLtMatrixLayoutDestroy(weights);
    if (operation != nullptr) cublasLtMatmulDescDestroy(operation);
  }

  void Choose(const Blas& blas) {
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        blas.handle(), operation, weights, x, out, out, preference, 1, &chosen, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0)) {
      throw Unsupported("cuBLASLt has no algorithm");
    }
    ROOFCAST_GPU(status);
    ROOFCAST_GPU(chosen.state);
  }
};

Gemm::Gemm(const Blas& blas, GemmFormat format, const GemmPoint& point, std::int64_t copies)
    : blas_(blas),
      format_(format),
      point_(point),
      copies_(ChooseCopies(FootprintOf(point, format), copies)) {
  const Types types = TypesOf(format);
  Allocate();
  descriptors_ = std::make_unique<Descriptors>(types, point);
  if (format == GemmFormat::kFp8) {
    const void* const scale = one_.As<void>();
    Set(descriptors_->operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale);
    Set(descriptors_->operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale);
    // Sums in the tensor cores' own precision between promotions, as serving engines ask for.
    const std::int8_t fast = 1;
    Set(descriptors_->operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
  }
  descriptors_->Choose(blas);
}

Gemm::~Gemm() = default;

void Gemm::Allocate() {
  const Types types = TypesOf(format_);
  const std::int64_t inputs = point_.m * point_.k;
  const std::int64_t weights = point_.n * point_.k;
  weight_stride_ = Aligned(weights * types.in_bytes);
  x_ = DeviceBuffer(inputs * types.in_bytes);
  weights_ = DeviceBuffer(copies_ * weight_stride_);
  out_ = DeviceBuffer(point_.m * point_.n * types.out_bytes);
  Fill(x_.As<void>(), inputs, types.filling, 1);
  for (std::int64_t copy = 0; copy < copies_; ++copy) {
    Fill(weights_.As<void>(copy * weight_stride_),
         weights,
         types.filling,
         2 + static_cast<std::uint32_t>(copy));
  }
  if (format_ == GemmFormat::kFp8) {
    wide_x_ = DeviceBuffer(inputs * 2);
    Fill(wide_x_.As<void>(), inputs, Filling::kBf16, 1);
    one_ = DeviceBuffer(sizeof(float));
    one_.FromHost(std::vector<float>{1.0F});
  }
}

void Gemm::Submit(cudaStream_t stream, std::int64_t copy) const {
  if (format_ == GemmFormat::kFp8) {
    SubmitQuantise(stream,
                   wide_x_.As<std::uint16_t>(),
                   one_.As<float>(),
                   x_.As<std::uint8_t>(),
                   point_.m * point_.k);
  }
  const float one = 1;
  const float zero = 0;
  const std::int32_t whole_one = 1;
  const std::int32_t whole_zero = 0;
  const bool whole = format_ == GemmFormat::kInt8;
  const Descriptors& d = *descriptors_;
  const void* const alpha = whole ? static_cast<const void*>(&whole_one) : &one;
  const void* const beta = whole ? static_cast<const void*>(&whole_zero) : &zero;
  ROOFCAST_GPU(cublasLtMatmul(blas_.handle(),
                              d.operation,
                              alpha,
                              weights_.As<void>(copy * weight_stride_),
                              d.weights,
                              x_.As<void>(),
                              d.x,
                              beta,
                              out_.As<void>(),
                              d.out,
                              out_.As<void>(),
                              d.out,
                              &d.chosen.algo,
                              blas_.workspace(),
                              d.chosen.workspaceSize,
                              stream));
}

double Gemm::Error() const {
  const Types types = TypesOf(format_);
  ROOFCAST_GPU(cudaMemset(out_.As<void>(), 0xFF, static_cast<std::size_t>(out_.bytes())));
  const Stream stream;
  Submit(stream, copies_ - 1);
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  // 64 rows by 64 columns at most, the last of each among them.
  const std::int64_t rows = std::min<std::int64_t>(point_.m, 64);
  const std::int64_t columns = std::min<std::int64_t>(point_.n, 64);
  const std::int64_t row_bytes = point_.k * types.in_bytes;
  std::vector<double> got;
  std::vector<double> wanted;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = point_.m - 1 - i * (point_.m / rows);
    const auto x = x_.ToHost<std::uint8_t>(row * row_bytes, row_bytes);
    const auto out =
        out_.ToHost<std::uint8_t>(row * point_.n * types.out_bytes, point_.n * types.out_bytes);
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t column = point_.n - 1 - j * (point_.n / columns);
      const auto w = weights_.ToHost<std::uint8_t>(
          (copies_ - 1) * weight_stride_ + column * row_bytes, row_bytes);
      double sum = 0;
      for (std::int64_t k = 0; k < point_.k; ++k) {
        sum += Decoded(x, k, types.in) * Decoded(w, k, types.in);
      }
      wanted.push_back(sum);
      got.push_back(Decoded(out, column, types.out));
    }
  }
  return RelativeError(got, wanted);
}

}  // namespace roofcast::bench::cuda
