// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/kernels/rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"
#include "tests/calibration/bench/cuda/emulated_block.h"

namespace roofcast::bench::cuda {
namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kCols = 4104;  // more than the 2048 of one turn of a block, and no multiple

std::vector<Words> Example(std::int64_t count, std::uint32_t seed, float size) {
  const std::vector<float> numbers = ExampleNumbers(count, seed);
  std::vector<Words> words(static_cast<std::size_t>(count / 8));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    words[i / 8].word[i % 8 / 2] |= static_cast<std::uint32_t>(Bf16Of(size * numbers[i]))
                                    << (16 * (i % 2));
  }
  return words;
}
const std::uint16_t* Bits(const std::vector<Words>& words) {
  return reinterpret_cast<const std::uint16_t*>(words.data());
}
std::uint16_t* Bits(std::vector<Words>& words) {
  return reinterpret_cast<std::uint16_t*>(words.data());
}

std::vector<double> Doubles(const std::vector<Words>& words) {
  std::vector<double> numbers(words.size() * 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = FloatOfBf16(Bits(words)[i]);
  return numbers;
}

struct Operands {
  std::vector<Words> x = Example(kRows * kCols * 2, 1, 4);
  std::vector<Words> y = Example(kRows * kCols, 2, 4);
  std::vector<Words> z = Example(kRows * kCols, 3, NAN);
  const std::vector<double> xs = Doubles(x);
  const std::vector<double> ys = Doubles(y);
};

TEST_CASE("an elementwise operator is its formula") {
  Operands on;
  RowPoint point{RowOp::kAdd, kRows, kCols};
  const std::int64_t count = kRows * kCols;
  const auto run = [&](const auto& kernel) {
    Launch({2, 1, 1}, kRowThreads, 64, kernel);  // two blocks: each takes more than one turn
    return RelativeError(Doubles(on.z), ReferenceRow(point, on.xs, {}));
  };
  SUBCASE("add") {
    CHECK(run([&](const EmulatedBlock& block) {
            Add(block, Bits(on.x), Bits(on.x) + count, Bits(on.z), count);
          }) < kBf16Tolerance);
  }
  SUBCASE("silu_mul") {
    point.op = RowOp::kSiluMul;
    CHECK(run([&](const EmulatedBlock& block) {
            SiluMul(block, Bits(on.x), Bits(on.z), count, kCols);
          }) < kBf16Tolerance);
  }
  SUBCASE("gelu") {
    point.op = RowOp::kGelu;
    CHECK(run([&](const EmulatedBlock& block) { Gelu(block, Bits(on.x), Bits(on.z), count); }) <
          kBf16Tolerance);
  }
}

TEST_CASE("norm and softmax reduce over their whole row and no other") {
  Operands on;
  RowPoint point{RowOp::kRmsNorm, kRows, kCols};
  const auto run = [&](const auto& kernel) {
    Launch({kRows, 1, 1}, kRowThreads, 64, kernel);
    return RelativeError(Doubles(on.z), ReferenceRow(point, on.xs, on.ys));
  };
  SUBCASE("rmsnorm") {
    CHECK(run([&](const EmulatedBlock& block) {
            RmsNorm(block, Bits(on.x), Bits(on.y), Bits(on.z), kCols);
          }) < kBf16Tolerance);
  }
  SUBCASE("softmax") {
    point.op = RowOp::kSoftmax;
    CHECK(run([&](const EmulatedBlock& block) { Softmax(block, Bits(on.x), Bits(on.z), kCols); }) <
          kBf16Tolerance);
  }
}

TEST_CASE("quantising rounds to the nearest e4m3 and saturates") {
  Operands on;
  const float scale = 0.005F;  // 4 / 0.005 is beyond 448
  std::vector<std::uint64_t> z(on.y.size());
  auto* const bytes = reinterpret_cast<std::uint8_t*>(z.data());
  Launch({2, 1, 1}, kRowThreads, 64, [&](const EmulatedBlock& block) {
    QuantiseFp8(block, Bits(on.y), &scale, bytes, kRows * kCols);
  });
  for (std::size_t i = 0; i < on.ys.size(); ++i) {
    const double wanted = std::clamp(on.ys[i] / static_cast<double>(scale), -448.0, 448.0);
    const double step = std::max(std::fabs(wanted) / 8, 1.0 / 512);
    CHECK_MESSAGE(std::fabs(FloatOfE4m3(bytes[i]) - wanted) <= 0.5001 * step, wanted);
  }
}

}  // namespace
}  // namespace roofcast::bench::cuda
