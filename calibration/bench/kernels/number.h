// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "core/dtype.h"

// The formats that activations, weights and KV cache have in the kernels of this folder.
namespace roofcast::bench {

struct Bf16 {
  std::uint16_t bits = 0;
};

inline float Widen(float value) {
  return value;
}
inline float Widen(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

template <class T>
inline T Narrow(float value) {
  return value;
}
// To the nearest, of two equally near ones to the even.
template <>
inline Bf16 Narrow<Bf16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U)};
}

// Calls body with a null pointer of the format's type: fp32, or bf16.
template <class Body>
void WithFormat(DType dtype, const Body& body) {
  if (dtype == DType::kBf16) {
    body(static_cast<Bf16*>(nullptr));
  } else {
    body(static_cast<float*>(nullptr));
  }
}

}  // namespace roofcast::bench
