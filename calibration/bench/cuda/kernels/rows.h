// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/kernels/block.h"

namespace roofcast::bench::cuda {
// Offsets within a tile or a row's turn are small, and registers scarce: they stay 32 bits wide.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

// Elementwise operators and norms on bf16 rows, eight elements (16 bytes) at a time: one block a
// row for what reduces over it, any number of blocks for the rest.
constexpr int kRowThreads = 256;

struct Eight {
  float at[8];
};

ROOFCAST_DEVICE Eight Load(const std::uint16_t* from) {
  const Words words = *reinterpret_cast<const Words*>(from);
  Eight eight;
  ROOFCAST_UNROLL
  for (int i = 0; i < 4; ++i) {
    eight.at[2 * i] = LowBf16(words.word[i]);
    eight.at[2 * i + 1] = HighBf16(words.word[i]);
  }
  return eight;
}

template <class Block>
ROOFCAST_DEVICE void Store(const Block& block, std::uint16_t* to, const Eight& eight) {
  Words words;
  ROOFCAST_UNROLL
  for (int i = 0; i < 4; ++i) {
    words.word[i] = block.PackBf16(eight.at[2 * i], eight.at[2 * i + 1]);
  }
  *reinterpret_cast<Words*>(to) = words;
}

// Calls use(i) for every eight of `count` elements, over all blocks.
template <class Block, class Use>
ROOFCAST_DEVICE void ForEachEight(const Block& block, std::int64_t count, const Use& use) {
  const std::int64_t step = std::int64_t{block.blocks()} * kRowThreads * 8;
  for (std::int64_t i = (std::int64_t{block.block_x()} * kRowThreads + block.thread()) * 8;
       i < count;
       i += step) {
    use(i);
  }
}

// z = x + y.
template <class Block>
ROOFCAST_DEVICE void Add(const Block& block,
                         const std::uint16_t* x,
                         const std::uint16_t* y,
                         std::uint16_t* z,
                         std::int64_t count) {
  ForEachEight(block, count, [&](std::int64_t i) {
    Eight sum = Load(x + i);
    const Eight other = Load(y + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) sum.at[j] += other.at[j];
    Store(block, z + i, sum);
  });
}

// z = gate sigmoid(gate) up; a row of x is its `cols` gates, then as many ups.
template <class Block>
ROOFCAST_DEVICE void SiluMul(const Block& block,
                             const std::uint16_t* x,
                             std::uint16_t* z,
                             std::int64_t count,
                             std::int64_t cols) {
  constexpr float kLog2E = 1.4426950408889634F;
  ForEachEight(block, count, [&](std::int64_t i) {
    const std::uint16_t* gates = x + i + i / cols * cols;
    Eight gate = Load(gates);
    const Eight up = Load(gates + cols);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) {
      gate.at[j] = gate.at[j] / (1.0F + block.Exp2(-gate.at[j] * kLog2E)) * up.at[j];
    }
    Store(block, z + i, gate);
  });
}

// z = x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, with 1 + tanh(u) = 2 / (1 + e^-2u).
template <class Block>
ROOFCAST_DEVICE void Gelu(const Block& block,
                          const std::uint16_t* x,
                          std::uint16_t* z,
                          std::int64_t count) {
  constexpr float kSlope = -2.0F * 0.7978845608028654F * 1.4426950408889634F;
  ForEachEight(block, count, [&](std::int64_t i) {
    Eight v = Load(x + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) {
      const float cube = v.at[j] * v.at[j] * v.at[j];
      v.at[j] /= 1.0F + block.Exp2(kSlope * (v.at[j] + 0.044715F * cube));
    }
    Store(block, z + i, v);
  });
}

// z = x / scale in e4m3, saturating: static quantisation of an activation per tensor.
template <class Block>
ROOFCAST_DEVICE void QuantiseFp8(const Block& block,
                                 const std::uint16_t* x,
                                 const float* scale,
                                 std::uint8_t* z,
                                 std::int64_t count) {
  const float inverse = 1.0F / *scale;
  ForEachEight(block, count, [&](std::int64_t i) {
    const Eight v = Load(x + i);
    std::uint32_t packed[2] = {0, 0};
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) {
      packed[j / 4] |= block.PackE4m3(v.at[j] * inverse) << (8U * static_cast<unsigned>(j % 4));
    }
    auto* const to = reinterpret_cast<std::uint32_t*>(z + i);
    to[0] = packed[0];
    to[1] = packed[1];
  });
}

// The threads' values joined by `join`, in every thread. Uses kRowThreads / 32 floats of shared
// memory.
template <class Block, class Join>
ROOFCAST_DEVICE float Reduce(const Block& block, float value, const Join& join) {
  auto* const left = static_cast<float*>(block.shared());
  ROOFCAST_UNROLL
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    value = join(value, block.ShuffleXor(value, mask));
  }
  block.Sync();  // those of an earlier call have been read
  if (block.thread() % kWarp == 0) left[block.thread() / kWarp] = value;
  block.Sync();
  value = left[0];
  for (int i = 1; i < kRowThreads / kWarp; ++i) value = join(value, left[i]);
  return value;
}

// z = x weight / sqrt(mean(x^2) + 1e-6) for the row of this block.
template <class Block>
ROOFCAST_DEVICE void RmsNorm(const Block& block,
                             const std::uint16_t* x,
                             const std::uint16_t* weight,
                             std::uint16_t* z,
                             std::int64_t cols) {
  const std::int64_t row = std::int64_t{block.block_x()} * cols;
  float squares = 0.0F;
  for (std::int64_t i = std::int64_t{block.thread()} * 8; i < cols; i += kRowThreads * 8) {
    const Eight v = Load(x + row + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) squares += v.at[j] * v.at[j];
  }
  squares = Reduce(block, squares, [](float a, float b) { return a + b; });
  const float factor = block.Rsqrt(squares / static_cast<float>(cols) + 1e-6F);
  for (std::int64_t i = std::int64_t{block.thread()} * 8; i < cols; i += kRowThreads * 8) {
    Eight v = Load(x + row + i);
    const Eight w = Load(weight + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) v.at[j] *= factor * w.at[j];
    Store(block, z + row + i, v);
  }
}

// z = softmax(x) for the row of this block: the largest, the sum and the quotients, each a pass.
template <class Block>
ROOFCAST_DEVICE void Softmax(const Block& block,
                             const std::uint16_t* x,
                             std::uint16_t* z,
                             std::int64_t cols) {
  constexpr float kLog2E = 1.4426950408889634F;
  const std::int64_t row = std::int64_t{block.block_x()} * cols;
  float top = FloatOfBits(0xFF800000U);
  for (std::int64_t i = std::int64_t{block.thread()} * 8; i < cols; i += kRowThreads * 8) {
    const Eight v = Load(x + row + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) top = v.at[j] > top ? v.at[j] : top;
  }
  top = Reduce(block, top, [](float a, float b) { return a > b ? a : b; });
  float sum = 0.0F;
  for (std::int64_t i = std::int64_t{block.thread()} * 8; i < cols; i += kRowThreads * 8) {
    const Eight v = Load(x + row + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) sum += block.Exp2((v.at[j] - top) * kLog2E);
  }
  sum = Reduce(block, sum, [](float a, float b) { return a + b; });
  const float inverse = 1.0F / sum;
  for (std::int64_t i = std::int64_t{block.thread()} * 8; i < cols; i += kRowThreads * 8) {
    Eight v = Load(x + row + i);
    ROOFCAST_UNROLL
    for (int j = 0; j < 8; ++j) v.at[j] = block.Exp2((v.at[j] - top) * kLog2E) * inverse;
    Store(block, z + row + i, v);
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}  // namespace roofcast::bench::cuda
