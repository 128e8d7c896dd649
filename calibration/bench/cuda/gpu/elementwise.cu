// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/elementwise.cuh"

#include <string>

#include "calibration/bench/cuda/gpu/kernels.cuh"
#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"
#include "core/version.h"

namespace roofcast::bench::cuda {
namespace {

bool HasTwoInputs(RowOp op) {
  return op == RowOp::kAdd || op == RowOp::kSiluMul;
}

std::vector<double> Doubles(const std::vector<std::uint16_t>& bits) {
  std::vector<double> numbers;
  numbers.reserve(bits.size());
  for (const std::uint16_t b : bits) numbers.push_back(FloatOfBf16(b));
  return numbers;
}

}  // namespace

// The inputs of a copy lie side by side, so that a row of gates and ups is one of twice the width.
RowRun::RowRun(const RowPoint& point, std::int64_t copies)
    : point_(point), copies_(ChooseCopies(FootprintOf(point), copies)) {
  const std::int64_t elements = point.rows * point.cols;
  input_stride_ = Aligned((HasTwoInputs(point.op) ? 2 : 1) * elements * 2);
  stride_ = input_stride_ + Aligned(elements * 2);
  rotated_ = DeviceBuffer(copies_ * stride_);
  weight_ = DeviceBuffer(point.cols * 2);
  one_ = DeviceBuffer(sizeof(float));
  Fill(rotated_.As<void>(), rotated_.bytes() / 2, Filling::kBf16, 1);
  Fill(weight_.As<void>(), point.cols, Filling::kBf16, 2);
  one_.FromHost(std::vector<float>{1.0F});
}

Kernel RowRun::KernelName() const {
  if (point_.op == RowOp::kCopy) return {"cuda", CudaVersion(), "cudaMemcpyAsync"};
  return {"roofcast", std::string(kVersion), "roofcast_rows"};
}

void RowRun::Submit(cudaStream_t stream, std::int64_t copy) const {
  const std::int64_t start = copy * stride_;
  SubmitRow(stream,
            point_,
            {rotated_.As<std::uint16_t>(start),
             rotated_.As<std::uint16_t>(start + point_.rows * point_.cols * 2),
             weight_.As<std::uint16_t>(),
             one_.As<float>(),
             rotated_.As<std::uint16_t>(start + input_stride_)});
}

double RowRun::Error() const {
  const std::int64_t start = (copies_ - 1) * stride_;
  const std::int64_t elements = point_.rows * point_.cols;
  const Stream stream;
  Submit(stream, copies_ - 1);
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  const std::vector<double> x = Doubles(rotated_.ToHost<std::uint16_t>(start, input_stride_ / 2));
  const std::vector<double> weight = Doubles(weight_.ToHost<std::uint16_t>(0, point_.cols));
  std::vector<double> got;
  if (point_.op == RowOp::kQuantiseFp8) {
    for (const std::uint8_t b : rotated_.ToHost<std::uint8_t>(start + input_stride_, elements)) {
      got.push_back(FloatOfE4m3(b));
    }
  } else {
    got = Doubles(rotated_.ToHost<std::uint16_t>(start + input_stride_, elements));
  }
  return RelativeError(got, ReferenceRow(point_, x, weight));
}

}  // namespace roofcast::bench::cuda
