// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/kernels/attention.h"

namespace roofcast {

// How a flash attention kernel cuts its work: each thread block (CTA) takes `rows` queries of a
// head and walks over the keys that any of them sees, `keys` at a time. With `group` heads packed,
// its rows are queries of the `group` heads that share a KV head, a query's heads together.
struct AttentionTile {
  std::int64_t rows = 64;
  std::int64_t keys = 64;
  std::int64_t group = 1;
};

// Of one sequence and one head (or one packed group of heads).
struct TileCounts {
  double ctas = 0;
  double key_tiles = 0;  // over all CTAs
  double longest = 0;    // key tiles of the CTA that has most
};

// Exact: the CTA of rows [i R, (i + 1) R) covers the queries from floor(i R / g) to the last one it
// holds a row of, and the key tiles from the first that its first query sees to the last that its
// last query sees,
//   sum over i of floor(last key / K) - floor(first key / K) + 1.
// Such sums of floors of a line take as many steps as Euclid's algorithm does. As FlashAttention's
// BlockMN computes n_block_min and n_block_max [shah2024flashattention3].
// Range: sizes >= 1, keys >= queries; numbers below 2^53.
TileCounts CountTiles(const Attention& op, const AttentionTile& tile);

}  // namespace roofcast
