// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/kernels/flash_tile.h"

namespace roofcast::bench::cuda {
// Offsets within a tile or a row's turn are small, and registers scarce: they stay 32 bits wide.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

// Tensors of attention in bf16, contiguous: q and out [batch, q_len, heads, dim], k and v
// [batch, kv_len, kv_heads, dim]. Causal: query i sees keys up to i + kv_len - q_len, and of those
// the last `window` (0: all).
struct AttentionTensors {
  const std::uint16_t* q;
  const std::uint16_t* k;
  const std::uint16_t* v;
  std::uint16_t* out;
  std::int64_t q_len;
  std::int64_t kv_len;
  std::int64_t window;
  int heads;
  int kv_heads;
  float scale;  // log2(e) / sqrt(dim)
};

constexpr int kPrefillQueries = 64;  // per block, 16 for each warp
constexpr int kPrefillKeys = 64;     // per tile
constexpr int kPrefillThreads = kPrefillQueries / 16 * kWarp;
template <int kDim>
constexpr int kPrefillShared = 2 * kPrefillKeys* kDim * 2;  // bytes: one tile of K and one of V

// Block (x, y, z): a tile of queries, the last first since it has the most keys; a head; a
// sequence. While scores are formed the tile's values arrive, and while values are gathered the
// next keys do.
template <int kDim, class Block>
ROOFCAST_DEVICE void FlashPrefill(const Block& block, const AttentionTensors& at) {
  auto* const k_tile = static_cast<std::uint16_t*>(block.shared());
  std::uint16_t* const v_tile = k_tile + kPrefillKeys * kDim;
  const std::int64_t tiles = (at.q_len + kPrefillQueries - 1) / kPrefillQueries;
  const std::int64_t first_query = (tiles - 1 - block.block_x()) * kPrefillQueries;
  const int head = block.block_y();
  const std::int64_t sequence = block.block_z();
  const int warp_row = block.thread() / kWarp * 16;
  const std::int64_t kv_stride = std::int64_t{at.kv_heads} * kDim;
  const std::int64_t kv_start =
      sequence * at.kv_len * kv_stride + std::int64_t{head / (at.heads / at.kv_heads)} * kDim;
  const std::int64_t shift = at.kv_len - at.q_len;

  const auto row_start = [&](int row) {
    return ((sequence * at.q_len + first_query + warp_row + row) * at.heads + head) * kDim;
  };
  const auto there = [&](int row) { return first_query + warp_row + row < at.q_len; };
  std::uint32_t queries[kDim / 16][4];
  LoadQueries<kDim>(block, queries, [&](int row) -> const std::uint16_t* {
    return there(row) ? at.q + row_start(row) : nullptr;
  });

  // Keys that any query of the block sees.
  const std::int64_t last_query = first_query + kPrefillQueries - 1;
  const std::int64_t seen = last_query + shift + 1;
  const std::int64_t end = seen < at.kv_len ? seen : at.kv_len;
  const std::int64_t oldest = at.window > 0 ? first_query + shift - at.window + 1 : 0;
  std::int64_t start = oldest > 0 ? oldest / kPrefillKeys * kPrefillKeys : 0;

  FlashRows<kDim> rows;
  Clear(rows);
  const auto copy = [&](std::uint16_t* tile, const std::uint16_t* from, std::int64_t key) {
    CopyTile<kDim, kPrefillKeys>(block,
                                 tile,
                                 from + kv_start + key * kv_stride,
                                 kv_stride,
                                 at.kv_len - key,
                                 block.thread(),
                                 kPrefillThreads);
    block.CommitCopies();
  };
  copy(k_tile, at.k, start);
  for (; start < end; start += kPrefillKeys) {
    block.template WaitCopies<0>();
    block.Sync();  // the keys are there, and nobody reads the values before them any more
    copy(v_tile, at.v, start);
    float scores[kPrefillKeys / 8][4];
    Score<kDim, kPrefillKeys>(block, queries, k_tile, scores);
    block.template WaitCopies<0>();
    block.Sync();
    if (start + kPrefillKeys < end) copy(k_tile, at.k, start + kPrefillKeys);

    const std::int64_t position = first_query + warp_row + shift;  // of the warp's first query
    const bool masked = start + kPrefillKeys > position + 1 || start + kPrefillKeys > at.kv_len ||
                        (at.window > 0 && start <= position + 15 - at.window);
    Weigh<kDim, kPrefillKeys>(
        block,
        at.scale,
        masked,
        [&](int row, int key) {
          const std::int64_t behind = position + row - (start + key);
          return behind >= 0 && (at.window == 0 || behind < at.window) && start + key < at.kv_len;
        },
        scores,
        rows);
    Gather<kDim, kPrefillKeys>(block, scores, v_tile, rows);
  }

  SumRows(block, rows);
  const int lane = block.thread() % kWarp;
  ROOFCAST_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (!there(row)) continue;
    const float inverse = 1.0F / rows.sum[half];
    auto* const out = reinterpret_cast<std::uint32_t*>(at.out + row_start(row) + 2 * (lane % 4));
    ROOFCAST_UNROLL
    for (int d = 0; d < kDim / 8; ++d) {
      out[4 * d] =
          block.PackBf16(rows.out[d][2 * half] * inverse, rows.out[d][2 * half + 1] * inverse);
    }
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}  // namespace roofcast::bench::cuda
