// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/bench/kernels/matmul.h"
#include "calibration/bench/kernels/memory.h"
#include "core/dtype.h"
#include "core/quantity.h"

namespace roofcast::bench {

// Causal attention of the last `queries` of `keys` tokens in each of `batch` sequences.
struct AttentionShape {
  std::int64_t batch = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 64;

  std::int64_t Tokens() const { return batch * queries; }
  // Numbers of a token's queries, keys and values, one after the other: a row of the QKV product.
  std::int64_t RowNumbers() const { return (heads + 2 * kv_heads) * head_dim; }
};

// Where keys and values lie: by sequence, head, then token, with room for `room` tokens.
struct KvCache {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  std::int64_t room = 0;
};
// Bytes of the keys, and as many of the values, of that many sequences.
std::size_t KvCacheBytes(DType dtype, const AttentionShape& shape, std::int64_t room);

// Rotates queries in place, and the keys on their way into the cache; values are copied there.
void RotateAndCache(DType dtype, const AttentionShape& shape, void* qkv, const KvCache& cache);
Bytes RotateAndCacheTraffic(DType dtype, const AttentionShape& shape);

// Attention over the cache: reads the queries of `qkv`, writes [tokens, heads * head_dim]. Many
// queries go in blocks, each two batched products of oneDNN around a softmax, and see no keys
// beyond the block's last; one query reads keys and values once, row by row.
class CachedAttention {
 public:
  CachedAttention(DType dtype, const AttentionShape& shape, std::int64_t room);
  const AttentionShape& shape() const { return shape_; }
  void Run(const void* qkv, const KvCache& cache, void* out);

 private:
  struct Block {
    std::int64_t first = 0;  // query
    std::int64_t rows = 0;
    std::int64_t keys = 0;
    BatchedMatMul scores;
    BatchedMatMul sums;
  };

  void RunBlocks(const void* qkv, const KvCache& cache, void* out);
  void RunRows(const void* qkv, const KvCache& cache, void* out);

  DType dtype_;
  AttentionShape shape_;
  std::vector<Block> blocks_;
  Buffer scores_;
  Buffer weights_;  // the softmax of the scores, in the format of the values
};

}  // namespace roofcast::bench
