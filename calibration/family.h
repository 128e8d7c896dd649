// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fields.h"
#include "models/coefficients.h"

namespace roofcast {

// The operator families that measured rows can be fitted to; a name is the key of `Coefficients`.
enum class Family : std::uint8_t { kGemm, kPrefillAttention, kDecodeAttention };
template <>
struct EnumNames<Family> {
  static constexpr std::array<std::pair<Family, std::string_view>, 3> kNames = {{
      {Family::kGemm, "gemm"},
      {Family::kPrefillAttention, "prefill_attention"},
      {Family::kDecodeAttention, "decode_attention"},
  }};
};

template <class T>
KernelCoefficients<T>& MemberOf(Coefficients<T>& coefficients, Family family) {
  switch (family) {
    case Family::kPrefillAttention:
      return coefficients.prefill_attention;
    case Family::kDecodeAttention:
      return coefficients.decode_attention;
    case Family::kGemm:
      break;
  }
  return coefficients.gemm;
}

// Names of what is fitted, in the order of the fields of KernelCoefficients and of every array of
// kParameters entries below.
inline constexpr std::size_t kParameters = 4;
inline constexpr std::array<std::string_view, kParameters> kParameterNames = {
    "intercept", "compute_efficiency", "memory_efficiency", "overlap_exponent"};
using ParameterValues = std::array<double, kParameters>;

inline ParameterValues ValuesOf(const KernelCoefficients<double>& c) {
  return {c.intercept.value(), c.compute_efficiency, c.memory_efficiency, c.overlap_exponent};
}
inline KernelCoefficients<double> FromValues(const ParameterValues& values) {
  return {Seconds(values[0]), values[1], values[2], values[3]};
}

// What the solver moves: x = natural / assumed, with natural = t0, 1/e_c, 1/e_m and 1/p. All x are
// near 1, times are linear in the first three, and a term without influence shows as an x near 0
// with a known error: p = 10 and the maximum, or a compute term far below the others, hardly
// differ.
struct ParameterScale {
  KernelCoefficients<double> assumed;

  template <class T>
  KernelCoefficients<T> CoefficientsAt(const std::array<T, kParameters>& x) const {
    KernelCoefficients<T> c;
    c.intercept = SecondsT<T>(x[0] * assumed.intercept.value());
    c.compute_efficiency = assumed.compute_efficiency / x[1];
    c.memory_efficiency = assumed.memory_efficiency / x[2];
    c.overlap_exponent = assumed.overlap_exponent / x[3];
    return c;
  }
  ParameterValues PointOf(const KernelCoefficients<double>& c) const {
    return {c.intercept.value() / assumed.intercept.value(),
            assumed.compute_efficiency / c.compute_efficiency,
            assumed.memory_efficiency / c.memory_efficiency,
            assumed.overlap_exponent / c.overlap_exponent};
  }
};

}  // namespace roofcast
