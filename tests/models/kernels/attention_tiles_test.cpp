// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention_tiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace roofcast {
namespace {

bool Sees(const Attention& op, std::int64_t query, std::int64_t key) {
  if (!op.causal) {
    const std::int64_t side = (op.window - 1) / 2;
    return op.window == 0 || (key - query <= side && query - key <= side);
  }
  const std::int64_t position = query + op.keys - op.queries;
  if (key > position) return false;
  if (op.chunk > 0) return key >= position / op.chunk * op.chunk;
  return op.window == 0 || key > position - op.window;
}

// Goes through the mask pair by pair. Between the first and the last key tile that a thread block
// needs it visits all.
TileCounts WalkMask(const Attention& op, const AttentionTile& tile) {
  TileCounts counts;
  for (std::int64_t row = 0; row < op.queries * tile.group; row += tile.rows) {
    std::int64_t first = op.keys;
    std::int64_t last = -1;
    for (std::int64_t r = row; r < std::min(row + tile.rows, op.queries * tile.group); ++r) {
      for (std::int64_t key = 0; key < op.keys; ++key) {
        if (!Sees(op, r / tile.group, key)) continue;
        first = std::min(first, key / tile.keys);
        last = std::max(last, key / tile.keys);
      }
    }
    const auto length = static_cast<double>(last - first + 1);
    ++counts.ctas;
    counts.key_tiles += length;
    counts.longest = std::max(counts.longest, length);
  }
  return counts;
}

void CheckAgainstMask(const Attention& op) {
  for (const AttentionTile& tile : std::vector<AttentionTile>{
           {1, 1, 1}, {4, 8, 1}, {8, 4, 1}, {16, 16, 5}, {8, 3, 3}, {7, 5, 2}}) {
    CAPTURE(op.queries);
    CAPTURE(op.keys);
    CAPTURE(op.window);
    CAPTURE(op.chunk);
    CAPTURE(op.causal);
    CAPTURE(tile.rows);
    CAPTURE(tile.keys);
    const TileCounts walked = WalkMask(op, tile);
    const TileCounts counted = CountTiles(op, tile);
    CHECK(counted.ctas == walked.ctas);
    CHECK(counted.key_tiles == walked.key_tiles);
    CHECK(counted.longest == walked.longest);
  }
}

}  // namespace

TEST_CASE("tile counts are those of the mask: causal, with a prefix and with a window") {
  for (const std::int64_t queries : {1, 2, 9, 31, 64}) {
    for (const std::int64_t before : {0, 1, 6, 40}) {
      for (const std::int64_t window : {0, 1, 2, 7, 16, 50, 200}) {
        CheckAgainstMask({.queries = queries, .keys = queries + before, .window = window});
      }
    }
  }
}

TEST_CASE("tile counts are those of the mask: chunks that tiles divide and that they don't") {
  for (const std::int64_t queries : {1, 9, 31, 64}) {
    for (const std::int64_t before : {0, 5, 40}) {
      for (const std::int64_t chunk : {1, 8, 11, 16, 80}) {
        CheckAgainstMask({.queries = queries, .keys = queries + before, .chunk = chunk});
      }
    }
  }
}

TEST_CASE("tile counts are those of the mask: encoders with a window and without") {
  for (const std::int64_t tokens : {1, 2, 9, 31, 64}) {
    for (const std::int64_t window : {0, 1, 5, 17, 301}) {
      CheckAgainstMask({.queries = tokens, .keys = tokens, .window = window, .causal = false});
    }
  }
}

TEST_CASE("a hundred million tokens are counted at once, and approach half of all pairs") {
  const std::int64_t tokens = 100'000'000;
  const AttentionTile tile{128, 64, 6};
  const TileCounts causal = CountTiles({.queries = tokens, .keys = tokens}, tile);
  const double all = Number(tokens) / 64 * (Number(tokens) * 6 / 128);
  CHECK(causal.key_tiles == doctest::Approx(all / 2).epsilon(1e-5));
  CHECK(causal.longest == Number(tokens / 64));
  const TileCounts chunked = CountTiles({.queries = tokens, .keys = tokens, .chunk = 1001}, tile);
  CHECK(chunked.longest <= 18);
  CHECK(chunked.key_tiles < causal.key_tiles / 1000);
}

}  // namespace roofcast
