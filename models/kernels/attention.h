// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// Fused (flash) attention of `queries` new tokens in each of `batch` sequences over `keys` cached
// and new ones. Decode has one query. Heads are those of one device.
struct Attention {
  std::int64_t batch = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;  // >= queries: the last `queries` of them are the new ones
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t value_dim = 128;
  std::int64_t window = 0;     // tokens a query sees, its own included; 0 = all of them
  std::int64_t chunk = 0;      // a query sees its own chunk of so many tokens alone; 0 = no chunks
  bool causal = true;          // false: an encoder, every query sees every key
  bool shared_values = false;  // values are a part of the keys (the latent of MLA)
  std::int64_t latent = 0;     // numbers that MLA caches for a token; 0: keys and values are cached
  // What engines launch around attention and measure with it. A step sets these or lists the work
  // by itself, never both.
  bool writes_cache = false;  // puts the new keys and values into the cache first
  bool rotates = false;       // rotates queries and keys first
  bool backward = false;
  DType math = DType::kBf16;
  DType io = DType::kBf16;  // queries and outputs
  DType kv = DType::kBf16;

  bool operator==(const Attention&) const = default;
};

// Bytes of keys and values that at least one query sees.
Bytes CachedBytesSeen(const Attention& op);
// Numbers that a token adds to the cache of one layer.
std::int64_t CachedNumbers(const Attention& op);
// Work of attention in backward over that in forward: five products for two, of which three run
// over the keys' width and two over the values'. Source: [dao2023flashattention2].
double BackwardWork(const Attention& op);
// What engines and measured tables call it: "prefill", "decode" (one query, cached keys),
// "encoder", or the first two of "mla_".
std::string_view AttentionFamilyOf(const Attention& op);
// The formats that decide which kernel runs: "bf16", "fp8", "bf16, kv fp8".
std::string AttentionFormatOf(const Attention& op);

// Pairs of query and key that causal attention scores in one sequence and head:
//   sum over queries i of min(keys - queries + i + 1, window)
// or, with chunks, of the query's place in its chunk. Without causality queries x keys; a window
// then lies around each of as many queries as keys, (window - 1) / 2 tokens to either side.
double AttentionPairs(const Attention& op);

// t = t0 + smoothmax_p(2 d H b pairs / (e_c P), traffic / (e_m B))
// with d = d_k + d_v forward and 3 d_k + 2 d_v backward (five products instead of two, 2.5 times
// the work where d_k = d_v [dao2023flashattention2]), traffic = queries and outputs, and each key
// and value that a query sees once; backward reads them again and writes their gradients. Writing
// the cache reads and writes the new keys and values, rotating the queries and keys.
// Range: sizes >= 1, keys >= queries.
template <class T>
Cost<T> CostOf(const Attention& op, const Device& device, const Coefficients<T>& coefficients);

}  // namespace roofcast
