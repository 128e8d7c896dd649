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

constexpr double kRounding = 0.02;  // of bf16, where results exceed their root mean square

TEST_CASE("the sum, the gated unit and the activation are those of the formulas") {
  Operands on;
  const std::int64_t count = kRows * kCols;
  std::vector<double> wanted;
  wanted.reserve(static_cast<std::size_t>(count));
  const auto run = [&](const auto& kernel) {
    // Two blocks: each takes more than one turn.
    Launch({2, 1, 1}, kRowThreads, 64, kernel);
    return RelativeError(Doubles(on.z), wanted);
  };
  SUBCASE("add") {
    for (std::size_t i = 0; i < on.ys.size(); ++i) wanted.push_back(on.xs[i] + on.ys[i]);
    CHECK(run([&](const EmulatedBlock& block) {
            Add(block, Bits(on.x), Bits(on.y), Bits(on.z), count);
          }) < kRounding);
  }
  SUBCASE("silu_mul") {
    for (std::size_t i = 0; i < on.ys.size(); ++i) {
      const std::size_t gate = i + i / kCols * kCols;
      wanted.push_back(on.xs[gate] / (1 + std::exp(-on.xs[gate])) * on.xs[gate + kCols]);
    }
    CHECK(run([&](const EmulatedBlock& block) {
            SiluMul(block, Bits(on.x), Bits(on.z), count, kCols);
          }) < kRounding);
  }
  SUBCASE("gelu") {
    for (const double y : on.ys) {
      const double u = std::sqrt(2 / M_PI) * (y + 0.044715 * y * y * y);
      wanted.push_back(y * (1 + std::tanh(u)) / 2);
    }
    CHECK(run([&](const EmulatedBlock& block) { Gelu(block, Bits(on.y), Bits(on.z), count); }) <
          kRounding);
  }
}

TEST_CASE("norm and softmax reduce over their whole row and no other") {
  Operands on;
  const auto cols = static_cast<std::size_t>(kCols);
  std::vector<double> wanted(on.ys.size());
  SUBCASE("rmsnorm") {
    for (std::size_t row = 0; row < wanted.size(); row += cols) {
      double squares = 0;
      for (std::size_t i = row; i < row + cols; ++i) squares += on.ys[i] * on.ys[i];
      const double factor = 1 / std::sqrt(squares / static_cast<double>(kCols) + 1e-6);
      for (std::size_t i = row; i < row + cols; ++i) {
        wanted[i] = on.ys[i] * factor * on.xs[i - row];
      }
    }
    Launch({kRows, 1, 1}, kRowThreads, 64, [&](const EmulatedBlock& block) {
      RmsNorm(block, Bits(on.y), Bits(on.x), Bits(on.z), kCols);
    });
  }
  SUBCASE("softmax") {
    for (std::size_t row = 0; row < wanted.size(); row += cols) {
      double sum = 0;
      for (std::size_t i = row; i < row + cols; ++i) sum += std::exp(on.ys[i]);
      for (std::size_t i = row; i < row + cols; ++i) wanted[i] = std::exp(on.ys[i]) / sum;
    }
    Launch({kRows, 1, 1}, kRowThreads, 64, [&](const EmulatedBlock& block) {
      Softmax(block, Bits(on.y), Bits(on.z), kCols);
    });
  }
  CHECK(RelativeError(Doubles(on.z), wanted) < kRounding);
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
