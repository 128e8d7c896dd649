// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/kernels/memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "calibration/bench/kernels/parallel.h"
#include "core/error.h"

namespace roofcast::bench {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t WholePages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Sums in so many places at a time: one after the other would wait for each addition.
constexpr std::int64_t kLanes = 128;

ROOFCAST_CLONES float SumOf(const float* values, std::int64_t count) {
  std::array<float, kLanes> sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] += values[i + lane];
    }
  }
  float sum = 0;
  for (const float one : sums) sum += one;
  for (; i < count; ++i) sum += values[i];
  return sum;
}

ROOFCAST_CLONES void AddScaled(float* out, const float* one, const float* other, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = one[i] + 3.0F * other[i];
}

// Runs of 16 KiB: enough of them for any number of threads, each of them long for its loop.
constexpr std::int64_t kRun = 4096;

}  // namespace

void Buffer::Free::operator()(std::byte* data) const {
  std::free(data);
}

Buffer::Buffer(std::size_t bytes) : size_(WholePages(std::max<std::size_t>(bytes, 1))) {
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
  if (!data_) throw std::bad_alloc();
  // Numbers of about 1/64 to 1/128 in bf16: exponent and sign are fixed, seven bits are random.
  std::uint32_t state = 12345;
  auto* words = reinterpret_cast<std::uint16_t*>(data_.get());
  for (std::size_t i = 0; i < size_ / 2; ++i) {
    state = state * 1664525U + 1013904223U;
    words[i] = static_cast<std::uint16_t>(0x3C00U | (state >> 25U) | ((state >> 9U) & 0x8000U));
  }
}

std::byte* ColdPool::Next(std::size_t bytes) {
  ROOFCAST_CHECK(bytes <= buffer_.size());
  const std::size_t whole = WholePages(bytes);
  if (at_ + whole > buffer_.size()) at_ = 0;
  std::byte* piece = buffer_.data() + at_;
  at_ += whole;
  return piece;
}

float ReadAll(const Buffer& buffer, std::size_t bytes) {
  ROOFCAST_CHECK(bytes <= buffer.size());
  const auto* values = reinterpret_cast<const float*>(buffer.data());
  const auto count = static_cast<std::int64_t>(bytes / sizeof(float));
  const std::int64_t runs = (count + kRun - 1) / kRun;
  float sum = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) reduction(+ : sum)
#endif
  for (std::int64_t i = 0; i < runs; ++i) {
    sum += SumOf(values + i * kRun, std::min(kRun, count - i * kRun));
  }
  return sum;
}

void Triad(Buffer& buffer, std::size_t bytes) {
  ROOFCAST_CHECK(bytes <= buffer.size());
  auto* out = reinterpret_cast<float*>(buffer.data());
  const auto count = static_cast<std::int64_t>(bytes / 3 / sizeof(float));
  const float* one = out + count;
  const float* other = out + 2 * count;
  ParallelFor((count + kRun - 1) / kRun, [&](std::int64_t i) {
    const std::int64_t at = i * kRun;
    AddScaled(out + at, one + at, other + at, std::min(kRun, count - at));
  });
}

}  // namespace roofcast::bench
