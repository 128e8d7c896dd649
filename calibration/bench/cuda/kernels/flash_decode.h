// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/kernels/flash_prefill.h"
#include "calibration/bench/cuda/kernels/flash_tile.h"

namespace roofcast::bench::cuda {
// Offsets within a tile or a row's turn are small, and registers scarce: they stay 32 bits wide.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

// Where the splits of a decode leave what they found, for CombineSplits: unnormalised outputs
// [splits, batch, heads, dim], and each row's top and sum [splits, batch, heads, 2].
struct DecodePartials {
  float* out;
  float* tops;
};

constexpr int kDecodeRows = 16;  // query heads of one KV head that a block serves
constexpr int kDecodeKeys = 16;  // per tile of one warp
constexpr int kDecodeWarps = 4;
constexpr int kDecodeThreads = kDecodeWarps * kWarp;
template <int kDim>
constexpr int kDecodeWarpShared = 2 * 2 * kDecodeKeys* kDim * 2;  // two stages of K and V tiles
template <int kDim>
constexpr int kDecodeShared = kDecodeWarps* kDecodeWarpShared<kDim>;  // bytes

// Blocks along y: one for every 16 query heads of a KV head.
ROOFCAST_HOST_DEVICE int DecodeRowTiles(int heads, int kv_heads) {
  return (heads / kv_heads + kDecodeRows - 1) / kDecodeRows;
}

// How many parts the keys of a sequence are cut into, so that the blocks fill `resident` places on
// the device and no warp's share falls below four tiles.
ROOFCAST_HOST_DEVICE std::int64_t DecodeSplits(std::int64_t blocks,
                                               std::int64_t keys,
                                               std::int64_t resident) {
  const std::int64_t most = keys / (4 * kDecodeWarps * kDecodeKeys);
  const std::int64_t wanted = (resident + blocks - 1) / blocks;
  const std::int64_t splits = wanted < most ? wanted : most;
  return splits < 1 ? 1 : splits;
}

// One warp's pass over its tiles: every kDecodeWarps-th of [begin, end), two of them on their way.
template <int kDim, class Block>
ROOFCAST_DEVICE void PassKeys(const Block& block,
                              const AttentionTensors& at,
                              std::int64_t kv_start,
                              std::int64_t begin,
                              std::int64_t end,
                              const std::uint32_t (&queries)[kDim / 16][4],
                              FlashRows<kDim>& rows) {
  constexpr int kTile = kDecodeKeys * kDim;
  constexpr std::int64_t kStep = kDecodeWarps * kDecodeKeys;
  const int warp = block.thread() / kWarp;
  const int lane = block.thread() % kWarp;
  auto* const tiles = static_cast<std::uint16_t*>(block.shared()) + warp * 4 * kTile;
  const std::int64_t stride = std::int64_t{at.kv_heads} * kDim;
  const auto copy = [&](int stage, std::int64_t key) {
    if (key < end) {
      const std::int64_t from = kv_start + key * stride;
      CopyTile<kDim, kDecodeKeys>(
          block, tiles + stage * 2 * kTile, at.k + from, stride, end - key, lane, kWarp);
      CopyTile<kDim, kDecodeKeys>(
          block, tiles + (stage * 2 + 1) * kTile, at.v + from, stride, end - key, lane, kWarp);
    }
    block.CommitCopies();  // empty past the end, so that WaitCopies counts alike
  };
  std::int64_t key = begin + std::int64_t{warp} * kDecodeKeys;
  copy(0, key);
  copy(1, key + kStep);
  for (int stage = 0; key < end; key += kStep, stage ^= 1) {
    block.template WaitCopies<1>();
    block.SyncWarp();
    float scores[kDecodeKeys / 8][4];
    Score<kDim, kDecodeKeys>(block, queries, tiles + stage * 2 * kTile, scores);
    Weigh<kDim, kDecodeKeys>(
        block,
        at.scale,
        key + kDecodeKeys > end,
        [&](int, int within) { return key + within < end; },
        scores,
        rows);
    Gather<kDim, kDecodeKeys>(block, scores, tiles + (stage * 2 + 1) * kTile, rows);
    block.SyncWarp();  // all have read the tiles
    copy(stage, key + 2 * kStep);
  }
  block.template WaitCopies<0>();
  SumRows(block, rows);
}

// Leaves a warp's rows in shared memory: [row][kDim] outputs, then [row][2] top and sum.
template <int kDim, class Block>
ROOFCAST_DEVICE void LeaveRows(const Block& block, const FlashRows<kDim>& rows, float* out) {
  const int lane = block.thread() % kWarp;
  ROOFCAST_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    ROOFCAST_UNROLL
    for (int d = 0; d < kDim / 8; ++d) {
      out[row * kDim + 8 * d + 2 * (lane % 4)] = rows.out[d][2 * half];
      out[row * kDim + 8 * d + 2 * (lane % 4) + 1] = rows.out[d][2 * half + 1];
    }
    if (lane % 4 == 0) {
      out[kDecodeRows * kDim + 2 * row] = rows.top[half];
      out[kDecodeRows * kDim + 2 * row + 1] = rows.sum[half];
    }
  }
}

// Joins `count` partial results of one row: outputs `out_stride` apart, (top, sum) `tops_stride`
// apart. `use(column, output, top, sum)` is called for every column of this thread.
template <int kDim, class Block, class Use>
ROOFCAST_DEVICE void JoinRow(const Block& block,
                             const float* out,
                             std::int64_t out_stride,
                             const float* tops,
                             std::int64_t tops_stride,
                             std::int64_t count,
                             int thread,
                             int threads,
                             const Use& use) {
  float top = MinusInfinity();
  for (std::int64_t i = 0; i < count; ++i) {
    const float next = tops[i * tops_stride];
    top = next > top ? next : top;
  }
  const float base = top == MinusInfinity() ? 0.0F : top;  // no part has seen a key
  float sum = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += tops[i * tops_stride + 1] * block.Exp2(tops[i * tops_stride] - base);
  }
  for (int column = thread; column < kDim; column += threads) {
    float value = 0.0F;
    for (std::int64_t i = 0; i < count; ++i) {
      value += out[i * out_stride + column] * block.Exp2(tops[i * tops_stride] - base);
    }
    use(column, value, top, sum);
  }
}

// Block (x, y, z): a split of the keys; a KV head and 16 of its query heads; a sequence. With one
// split it writes the output, with more its part of `partials`.
template <int kDim, class Block>
ROOFCAST_DEVICE void FlashDecode(const Block& block,
                                 const AttentionTensors& at,
                                 const DecodePartials& partials,
                                 std::int64_t splits,
                                 std::int64_t batch) {
  const int group = at.heads / at.kv_heads;
  const int row_tiles = DecodeRowTiles(at.heads, at.kv_heads);
  const int kv_head = block.block_y() / row_tiles;
  const int first_row = block.block_y() % row_tiles * kDecodeRows;
  const std::int64_t sequence = block.block_z();
  const std::int64_t first_head = sequence * at.heads + kv_head * group + first_row;
  const int live = group - first_row < kDecodeRows ? group - first_row : kDecodeRows;
  std::uint32_t queries[kDim / 16][4];
  LoadQueries<kDim>(block, queries, [&](int row) -> const std::uint16_t* {
    return row < live ? at.q + (first_head + row) * kDim : nullptr;
  });

  const std::int64_t oldest = at.window > 0 && at.kv_len > at.window ? at.kv_len - at.window : 0;
  const std::int64_t span = (at.kv_len - oldest + splits - 1) / splits;
  const std::int64_t begin = oldest + block.block_x() * span;
  const std::int64_t end = begin + span < at.kv_len ? begin + span : at.kv_len;
  FlashRows<kDim> rows;
  Clear(rows);
  const std::int64_t kv_start = (sequence * at.kv_len * at.kv_heads + kv_head) * std::int64_t{kDim};
  PassKeys<kDim>(block, at, kv_start, begin, end, queries, rows);

  constexpr int kLeft = kDecodeRows * (kDim + 2);  // floats of one warp
  static_assert(kDecodeWarps * kLeft * 4 <= kDecodeShared<kDim>);
  auto* const left = static_cast<float*>(block.shared());
  block.Sync();  // every warp is done with its tiles
  LeaveRows(block, rows, left + block.thread() / kWarp * kLeft);
  block.Sync();
  const int warp = block.thread() / kWarp;
  for (int row = warp; row < live; row += kDecodeWarps) {
    const std::int64_t head = first_head + row;
    const std::int64_t part = block.block_x() * batch * at.heads + head;
    JoinRow<kDim>(block,
                  left + row * kDim,
                  kLeft,
                  left + kDecodeRows * kDim + 2 * row,
                  kLeft,
                  kDecodeWarps,
                  block.thread() % kWarp,
                  kWarp,
                  [&](int column, float value, float top, float sum) {
                    if (splits == 1) {
                      at.out[head * kDim + column] =
                          static_cast<std::uint16_t>(block.PackBf16(value / sum, 0.0F));
                      return;
                    }
                    partials.out[part * kDim + column] = value;
                    if (column == 0) {
                      partials.tops[2 * part] = top;
                      partials.tops[2 * part + 1] = sum;
                    }
                  });
  }
}

// Block x: one query head of one sequence, kDim threads.
template <int kDim, class Block>
ROOFCAST_DEVICE void CombineSplits(const Block& block,
                                   const DecodePartials& partials,
                                   std::int64_t splits,
                                   std::int64_t rows,
                                   std::uint16_t* out) {
  const std::int64_t row = block.block_x();
  JoinRow<kDim>(block,
                partials.out + row * kDim,
                rows * kDim,
                partials.tops + 2 * row,
                2 * rows,
                splits,
                block.thread(),
                kDim,
                [&](int column, float value, float, float sum) {
                  out[row * kDim + column] =
                      static_cast<std::uint16_t>(block.PackBf16(value / sum, 0.0F));
                });
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}  // namespace roofcast::bench::cuda
