// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/numbers.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

namespace roofcast::bench::cuda {
namespace {

TEST_CASE("bf16 rounds to the nearest, ties to even") {
  CHECK(Bf16Of(1.0F) == 0x3F80);
  CHECK(Bf16Of(std::bit_cast<float>(0x3F808000U)) == 0x3F80);
  CHECK(Bf16Of(std::bit_cast<float>(0x3F818000U)) == 0x3F82);
  CHECK(Bf16Of(std::bit_cast<float>(0x3F808001U)) == 0x3F81);
  CHECK(Bf16Of(-INFINITY) == 0xFF80);
  CHECK(std::isnan(FloatOfBf16(Bf16Of(NAN))));
}

TEST_CASE("fp16 reads the format's landmarks") {
  CHECK(FloatOfFp16(0x3C00) == 1.0F);
  CHECK(FloatOfFp16(0xC000) == -2.0F);
  CHECK(FloatOfFp16(0x7BFF) == 65504.0F);
  CHECK(FloatOfFp16(0x0001) == std::ldexp(1.0F, -24));
  CHECK(FloatOfFp16(0x7C00) == INFINITY);
  CHECK(std::isnan(FloatOfFp16(0x7C01)));
}

TEST_CASE("e4m3 reads the format's landmarks and every number writes back as itself") {
  CHECK(FloatOfE4m3(0x7E) == 448.0F);
  CHECK(FloatOfE4m3(0x38) == 1.0F);
  CHECK(FloatOfE4m3(0x01) == std::ldexp(1.0F, -9));
  CHECK(std::isnan(FloatOfE4m3(0x7F)));
  for (int bits = 0; bits < 256; ++bits) {
    const float value = FloatOfE4m3(static_cast<std::uint8_t>(bits));
    CHECK(E4m3Of(value) == bits);
  }
  CHECK(E4m3Of(1e9F) == 0x7E);
  CHECK(E4m3Of(-INFINITY) == 0xFE);
  CHECK(E4m3Of(0.0624F) == E4m3Of(0.0625F));
  CHECK(E4m3Of(1.0625F) == 0x38);  // a tie: the even one
  CHECK(E4m3Of(1.1875F) == 0x3A);
}

}  // namespace
}  // namespace roofcast::bench::cuda
