// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roofcast::bench::cuda {

// Narrow numbers by their bits, for checks of a kernel's results on the host. To the nearest, ties
// to even; e4m3 (of OCP's 8-bit formats: no infinities, largest 448) saturates.
std::uint16_t Bf16Of(float value);
float FloatOfBf16(std::uint16_t bits);
float FloatOfFp16(std::uint16_t bits);
std::uint8_t E4m3Of(float value);
float FloatOfE4m3(std::uint8_t bits);

}  // namespace roofcast::bench::cuda
