// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "calibration/bench/cuda/kernels/flash_decode.h"
#include "calibration/bench/cuda/kernels/flash_prefill.h"
#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"
#include "tests/calibration/bench/cuda/emulated_block.h"

namespace roofcast::bench::cuda {
namespace {

std::vector<std::uint16_t> Example(std::int64_t count, std::uint32_t seed) {
  std::vector<std::uint16_t> bits;
  for (const float number : ExampleNumbers(count, seed)) bits.push_back(Bf16Of(2 * number));
  return bits;
}

struct Case {
  AttentionPoint point;
  std::vector<std::uint16_t> q;
  std::vector<std::uint16_t> k;
  std::vector<std::uint16_t> v;
  std::vector<std::uint16_t> out;

  explicit Case(const AttentionPoint& of)
      : point(of),
        q(Example(of.batch * of.q_len * of.heads * of.head_dim, 1)),
        k(Example(of.batch * of.kv_len * of.kv_heads * of.head_dim, 2)),
        v(Example(of.batch * of.kv_len * of.kv_heads * of.head_dim, 3)),
        out(q.size(), Bf16Of(NAN)) {}

  AttentionTensors Tensors() {
    const double scale = std::numbers::log2e / std::sqrt(static_cast<double>(point.head_dim));
    return {q.data(),
            k.data(),
            v.data(),
            out.data(),
            point.q_len,
            point.kv_len,
            point.window,
            static_cast<int>(point.heads),
            static_cast<int>(point.kv_heads),
            static_cast<float>(scale)};
  }

  double Error() const {
    std::vector<double> got;
    got.reserve(out.size());
    for (const std::uint16_t bits : out) got.push_back(FloatOfBf16(bits));
    return RelativeError(got, ReferenceAttention(point, q, k, v));
  }
};

template <int kDim>
double PrefillError(const AttentionPoint& point) {
  Case one(point);
  const AttentionTensors at = one.Tensors();
  const auto tiles = static_cast<int>((point.q_len + kPrefillQueries - 1) / kPrefillQueries);
  Launch({tiles, at.heads, static_cast<int>(point.batch)},
         kPrefillThreads,
         kPrefillShared<kDim>,
         [&](const EmulatedBlock& block) { FlashPrefill<kDim>(block, at); });
  return one.Error();
}

template <int kDim>
double DecodeError(const AttentionPoint& point, int splits) {
  Case one(point);
  const AttentionTensors at = one.Tensors();
  const std::int64_t rows = point.batch * point.heads;
  std::vector<float> out(static_cast<std::size_t>(splits * rows * kDim));
  std::vector<float> tops(static_cast<std::size_t>(splits * rows * 2));
  const DecodePartials partials{out.data(), tops.data()};
  const int tiles = at.kv_heads * DecodeRowTiles(at.heads, at.kv_heads);
  Launch({splits, tiles, static_cast<int>(point.batch)},
         kDecodeThreads,
         kDecodeShared<kDim>,
         [&](const EmulatedBlock& block) {
           FlashDecode<kDim>(block, at, partials, splits, point.batch);
         });
  if (splits > 1) {
    Launch({static_cast<int>(rows), 1, 1}, kDim, 0, [&](const EmulatedBlock& block) {
      CombineSplits<kDim>(block, partials, splits, rows, one.out.data());
    });
  }
  return one.Error();
}

TEST_CASE("prefill attention is that of the reference") {
  SUBCASE("one tile, not full") {
    CHECK(PrefillError<64>({1, 19, 19, 1, 1, 64, 0}) < kBf16Tolerance);
  }
  SUBCASE("several tiles of queries and keys") {
    CHECK(PrefillError<64>({1, 130, 130, 1, 1, 64, 0}) < kBf16Tolerance);
  }
  SUBCASE("heads that share keys, in a batch") {
    CHECK(PrefillError<64>({2, 20, 20, 4, 2, 64, 0}) < kBf16Tolerance);
  }
  SUBCASE("behind a cached prefix") {
    CHECK(PrefillError<64>({1, 33, 150, 1, 1, 64, 0}) < kBf16Tolerance);
  }
  SUBCASE("in a window that begins within a tile") {
    CHECK(PrefillError<64>({1, 130, 170, 1, 1, 64, 37}) < kBf16Tolerance);
  }
  SUBCASE("with wide heads") {
    CHECK(PrefillError<128>({1, 70, 70, 2, 1, 128, 0}) < kBf16Tolerance);
  }
}

TEST_CASE("decode attention is that of the reference") {
  SUBCASE("fewer keys than warps take") {
    CHECK(DecodeError<64>({1, 1, 5, 1, 1, 64, 0}, 1) < kBf16Tolerance);
  }
  SUBCASE("several tiles a warp, the last not full") {
    CHECK(DecodeError<64>({1, 1, 333, 2, 2, 64, 0}, 1) < kBf16Tolerance);
  }
  SUBCASE("heads that share keys, in a batch") {
    CHECK(DecodeError<128>({2, 1, 70, 8, 2, 128, 0}, 1) < kBf16Tolerance);
  }
  SUBCASE("more heads to a KV head than a block takes") {
    CHECK(DecodeError<64>({1, 1, 40, 20, 1, 64, 0}, 1) < kBf16Tolerance);
  }
  SUBCASE("split among blocks") {
    CHECK(DecodeError<64>({2, 1, 300, 4, 2, 64, 0}, 3) < kBf16Tolerance);
  }
  SUBCASE("split so often that a block has no key") {
    CHECK(DecodeError<64>({1, 1, 9, 1, 1, 64, 0}, 6) < kBf16Tolerance);
  }
  SUBCASE("in a window") {
    CHECK(DecodeError<64>({1, 1, 200, 1, 1, 64, 50}, 2) < kBf16Tolerance);
  }
}

TEST_CASE("a decode is split until the device is full, and no further than four tiles a warp") {
  CHECK(DecodeSplits(8, 1 << 20, 264) == 33);
  CHECK(DecodeSplits(300, 1 << 20, 264) == 1);
  CHECK(DecodeSplits(1, 1024, 264) == 4);
  CHECK(DecodeSplits(1, 10, 264) == 1);
}

}  // namespace
}  // namespace roofcast::bench::cuda
