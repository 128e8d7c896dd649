// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/kernels/block.h"

namespace roofcast::bench::cuda {
// Offsets within a tile or a row's turn are small, and registers scarce: they stay 32 bits wide.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

// What one warp knows of 16 queries while keys pass by: the unnormalised output, each row's largest
// score and the sum of its weights. A thread holds rows lane/4 and lane/4 + 8, and of every 8
// columns the pair 2 (lane % 4): the accumulator of mma.m16n8k16 (PTX ISA, matrix fragments).
// Source: online softmax, Dao, FlashAttention-2, 2023 (arXiv:2307.08691), algorithm 1. Scores carry
// log2(e), so weights are powers of two.
template <int kDim>
struct FlashRows {
  float out[kDim / 8][4];
  float top[2];
  float sum[2];
};

// -inf without <limits>, whose functions device code can't call.
ROOFCAST_DEVICE float MinusInfinity() {
  return FloatOfBits(0xFF800000U);
}

template <int kDim>
ROOFCAST_DEVICE void Clear(FlashRows<kDim>& rows) {
  ROOFCAST_UNROLL
  for (int d = 0; d < kDim / 8; ++d) {
    ROOFCAST_UNROLL
    for (int i = 0; i < 4; ++i) rows.out[d][i] = 0.0F;
  }
  ROOFCAST_UNROLL
  for (int i = 0; i < 2; ++i) {
    rows.top[i] = MinusInfinity();
    rows.sum[i] = 0.0F;
  }
}

// Where 8 elements of a tile lie in shared memory, in elements: the pieces of 16 bytes of a row are
// permuted by the row's number, so that eight rows of one piece fall into different banks.
template <int kDim>
ROOFCAST_DEVICE int TileOffset(int row, int piece) {
  return row * kDim + ((piece ^ (row & 7)) * 8);
}

// Copies `kKeys` rows of kDim elements, `stride` apart in `from`, into a tile. Rows from `valid` on
// become zero. `threads` threads take part, of which this is number `thread`.
template <int kDim, int kKeys, class Block>
ROOFCAST_DEVICE void CopyTile(const Block& block,
                              std::uint16_t* tile,
                              const std::uint16_t* from,
                              std::int64_t stride,
                              std::int64_t valid,
                              int thread,
                              int threads) {
  constexpr int kPieces = kDim / 8;
  for (int i = thread; i < kKeys * kPieces; i += threads) {
    const int row = i / kPieces;
    const int piece = i % kPieces;
    const bool there = row < valid;
    block.CopyAsync(
        tile + TileOffset<kDim>(row, piece), from + (there ? row * stride + piece * 8 : 0), there);
  }
}

// The 16 queries of a warp as left operands. `row_at(r)` is the row's first element, or null.
template <int kDim, class Block, class RowAt>
ROOFCAST_DEVICE void LoadQueries(const Block& block,
                                 std::uint32_t (&queries)[kDim / 16][4],
                                 const RowAt& row_at) {
  const int lane = block.thread() % kWarp;
  const std::uint16_t* const rows[2] = {row_at(lane / 4), row_at(lane / 4 + 8)};
  ROOFCAST_UNROLL
  for (int d = 0; d < kDim / 16; ++d) {
    ROOFCAST_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::uint16_t* row = rows[i % 2];
      const int column = 16 * d + 2 * (lane % 4) + 8 * (i / 2);
      queries[d][i] = row == nullptr ? 0U
                                     : static_cast<std::uint32_t>(row[column]) |
                                           (static_cast<std::uint32_t>(row[column + 1]) << 16U);
    }
  }
}

// scores = Q K^T for the keys of a tile.
template <int kDim, int kKeys, class Block>
ROOFCAST_DEVICE void Score(const Block& block,
                           const std::uint32_t (&queries)[kDim / 16][4],
                           const std::uint16_t* keys,
                           float (&scores)[kKeys / 8][4]) {
  const int lane = block.thread() % kWarp;
  ROOFCAST_UNROLL
  for (int j = 0; j < kKeys / 8; ++j) {
    ROOFCAST_UNROLL
    for (int i = 0; i < 4; ++i) scores[j][i] = 0.0F;
    ROOFCAST_UNROLL
    for (int d = 0; d < kDim / 32; ++d) {
      const Words b =
          block.LoadMatrices(keys + TileOffset<kDim>(8 * j + lane % 8, 4 * d + lane / 8));
      block.Multiply(scores[j], queries[2 * d], b.word[0], b.word[1]);
      block.Multiply(scores[j], queries[2 * d + 1], b.word[2], b.word[3]);
    }
  }
}

// Scales the scores, leaves out those for which `allowed(row, key)` is false (row and key count
// within the tile), and turns them into weights relative to the rows' new tops.
template <int kDim, int kKeys, class Block, class Allowed>
ROOFCAST_DEVICE void Weigh(const Block& block,
                           float scale,
                           bool masked,
                           const Allowed& allowed,
                           float (&scores)[kKeys / 8][4],
                           FlashRows<kDim>& rows) {
  const int lane = block.thread() % kWarp;
  ROOFCAST_UNROLL
  for (int half = 0; half < 2; ++half) {
    float top = rows.top[half];
    ROOFCAST_UNROLL
    for (int j = 0; j < kKeys / 8; ++j) {
      ROOFCAST_UNROLL
      for (int i = 0; i < 2; ++i) {
        float& score = scores[j][2 * half + i];
        score *= scale;
        if (masked && !allowed(lane / 4 + 8 * half, 8 * j + 2 * (lane % 4) + i)) {
          score = MinusInfinity();
        }
        top = score > top ? score : top;
      }
    }
    // The four threads of a row.
    const float near = block.ShuffleXor(top, 1);
    top = near > top ? near : top;
    const float far = block.ShuffleXor(top, 2);
    top = far > top ? far : top;
    // A row that has seen no key yet: any finite base leaves its weights zero.
    const float base = top == MinusInfinity() ? 0.0F : top;
    const float shrink = block.Exp2(rows.top[half] - base);
    float sum = rows.sum[half] * shrink;
    ROOFCAST_UNROLL
    for (int j = 0; j < kKeys / 8; ++j) {
      ROOFCAST_UNROLL
      for (int i = 0; i < 2; ++i) {
        float& weight = scores[j][2 * half + i];
        weight = block.Exp2(weight - base);
        sum += weight;
      }
    }
    ROOFCAST_UNROLL
    for (int d = 0; d < kDim / 8; ++d) {
      rows.out[d][2 * half] *= shrink;
      rows.out[d][2 * half + 1] *= shrink;
    }
    rows.top[half] = top;
    rows.sum[half] = sum;  // of this thread's columns; SumRows adds the others
  }
}

// out += weights V for the values of a tile.
template <int kDim, int kKeys, class Block>
ROOFCAST_DEVICE void Gather(const Block& block,
                            const float (&weights)[kKeys / 8][4],
                            const std::uint16_t* values,
                            FlashRows<kDim>& rows) {
  const int lane = block.thread() % kWarp;
  ROOFCAST_UNROLL
  for (int b = 0; b < kKeys / 16; ++b) {
    const float(&low)[4] = weights[2 * b];
    const float(&high)[4] = weights[2 * b + 1];
    const std::uint32_t a[4] = {block.PackBf16(low[0], low[1]),
                                block.PackBf16(low[2], low[3]),
                                block.PackBf16(high[0], high[1]),
                                block.PackBf16(high[2], high[3])};
    ROOFCAST_UNROLL
    for (int d = 0; d < kDim / 16; ++d) {
      const int key = 16 * b + 8 * (lane / 8 % 2) + lane % 8;
      const Words v =
          block.LoadMatricesTransposed(values + TileOffset<kDim>(key, 2 * d + lane / 16));
      block.Multiply(rows.out[2 * d], a, v.word[0], v.word[1]);
      block.Multiply(rows.out[2 * d + 1], a, v.word[2], v.word[3]);
    }
  }
}

// Adds up the four threads' parts of each row's sum.
template <int kDim, class Block>
ROOFCAST_DEVICE void SumRows(const Block& block, FlashRows<kDim>& rows) {
  ROOFCAST_UNROLL
  for (int half = 0; half < 2; ++half) {
    rows.sum[half] += block.ShuffleXor(rows.sum[half], 1);
    rows.sum[half] += block.ShuffleXor(rows.sum[half], 2);
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}  // namespace roofcast::bench::cuda
