// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/kernels/weights.h"

#include <algorithm>
#include <cmath>

#include "calibration/bench/kernels/number.h"
#include "calibration/bench/kernels/parallel.h"
#include "core/scalar.h"

namespace roofcast::bench {
namespace {

// Mixes the bits of a number so that neighbours look random (the finaliser of MurmurHash3).
std::uint32_t Mix(std::uint32_t bits) {
  bits = (bits ^ (bits >> 16U)) * 0x85EBCA6BU;
  bits = (bits ^ (bits >> 13U)) * 0xC2B2AE35U;
  return bits ^ (bits >> 16U);
}

constexpr const char* kRows = "rows";

}  // namespace

Matrix::Matrix(DType dtype, std::int64_t n, std::int64_t k, std::uint32_t seed)
    : dtype_(dtype), n_(n), k_(k), seed_(Mix(seed + 1)) {}

float Matrix::At(std::int64_t i, std::int64_t j) const {
  const std::uint32_t bits = Mix(static_cast<std::uint32_t>(i * k_ + j) ^ seed_);
  const double uniform = bits / 2147483648.0 - 1;  // in [-1, 1)
  return static_cast<float>(uniform * std::sqrt(3.0 / Number(k_)));
}

Buffer Matrix::MakeRows() const {
  const std::size_t size = dtype_ == DType::kBf16 ? sizeof(Bf16) : sizeof(float);
  Buffer rows(static_cast<std::size_t>(n_ * k_) * size);
  WithFormat(dtype_, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    auto* numbers = reinterpret_cast<T*>(rows.data());
    ParallelFor(n_, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < k_; ++j) numbers[i * k_ + j] = Narrow<T>(At(i, j));
    });
  });
  return rows;
}

const std::byte* Matrix::PackedFor(const MatMul& product) {
  const std::string layout = product.Layout();
  const auto found = std::find_if(
      packed_.begin(), packed_.end(), [&](const auto& copy) { return copy.first == layout; });
  if (found != packed_.end()) return found->second.data();
  const Buffer rows = MakeRows();
  Buffer packed(product.WeightBytes());
  product.Pack(rows.data(), packed.data());
  return packed_.emplace_back(layout, std::move(packed)).second.data();
}

const std::byte* Matrix::Rows() {
  for (const auto& [layout, copy] : packed_) {
    if (layout == kRows) return copy.data();
  }
  return packed_.emplace_back(kRows, MakeRows()).second.data();
}

}  // namespace roofcast::bench
