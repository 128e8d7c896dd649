// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/numbers.h"

#include <bit>
#include <cmath>

namespace roofcast::bench::cuda {

std::uint16_t Bf16Of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  const std::uint32_t odd = (bits >> 16U) & 1U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16U);
}

float FloatOfBf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

float FloatOfFp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return mantissa != 0 ? std::copysign(NAN, sign) : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}

std::uint8_t E4m3Of(float value) {
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | 0x7F;
  const float size = std::fmin(std::fabs(value), 448.0F);
  // The step between neighbours: an eighth of the power of two below, 2^-9 among the subnormals.
  const int power = size < 0.015625F ? -6 : std::ilogb(size);
  const float step = std::ldexp(1.0F, power - 3);
  const float rounded = std::nearbyint(size / step) * step;
  if (rounded < 0.015625F) return sign | static_cast<std::uint8_t>(rounded * 512.0F);
  const int exponent = std::ilogb(rounded);
  const int mantissa = static_cast<int>(std::ldexp(rounded, 3 - exponent)) - 8;
  return static_cast<std::uint8_t>(sign | ((exponent + 7) << 3) | mantissa);
}

float FloatOfE4m3(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 0xF;
  const int mantissa = bits & 7;
  const float sign = (bits & 0x80) != 0 ? -1.0F : 1.0F;
  if (exponent == 15 && mantissa == 7) return std::copysign(NAN, sign);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

}  // namespace roofcast::bench::cuda
