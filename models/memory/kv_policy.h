// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/node.h"
#include "core/quantity.h"
#include "models/kv_layout.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/memory/ledger.h"

namespace roofcast {

// What one token of one layer leaves in the cache of one rank, and what a sequence leaves there
// whatever its length.
//   full, sliding, chunked: max(1, KV heads / tp) x (key + value numbers) x element
//   latent: (rank + rotated) x element on every rank, or every head's keys and values, expanded
//   indexer (DSA): index numbers x 1 B + 4 B a scale of 128 numbers, on every rank
//   recurrent: state / tp + (taps - 1) x channels / tp, of a sequence
// An 8-bit latent beside an indexer keeps its rotated part in 16 bits and an fp32 scale for each
// 128 numbers. An encoder caches nothing.
// Source: [vllm-kv-interface], [vllm-sparse-mla]
// Range: tp that divides the heads of recurrent layers, whose shared groups are not replicated here
enum class KvKind : std::uint8_t {
  kFull,
  kSliding,
  kChunked,
  kLatent,
  kIndexer,
  kState,
  kConvolution
};
struct KvEntry {
  KvKind kind = KvKind::kFull;
  Bytes per_token;              // 0 of the fixed kinds
  Bytes per_sequence;           // of the fixed kinds
  std::int64_t window = 0;      // tokens that are seen, 0 = all
  std::int64_t replicated = 1;  // ranks of tp that hold the same bytes

  bool IsWindowed() const { return window > 0; }
  bool IsFixed() const { return per_sequence > Bytes(0); }
  friend bool operator==(const KvEntry&, const KvEntry&) = default;
};
std::vector<KvEntry> KvEntriesOf(const Llm& llm,
                                 const Layer& layer,
                                 std::int64_t tp,
                                 const Precision& precision,
                                 const KvLayout& layout);

// Tokens that a layer has memory for when a sequence has `tokens`, by policy:
//   full: tokens, rounded up to blocks
//   window: min(tokens, window + room), rounded up to blocks
//   pools: share x tokens
// kHybrid counts pages instead (models/memory/kv_pages.h).
double KeptTokens(const KvEntry& entry, const KvLayout& layout, std::int64_t tokens);

// KV cache of `sequences` sequences of `tokens` tokens by policy, a child for each kind of cache.
Node KvLedger(const Llm& llm,
              const RankShare& share,
              const Precision& precision,
              const KvLayout& layout,
              std::int64_t sequences,
              std::int64_t tokens);

// Of one token in every layer, windowed ones included: what a full reservation takes.
Bytes KvBytesPerTokenOnRank(const Llm& llm,
                            const RankShare& share,
                            const Precision& precision,
                            const KvLayout& layout);

// A sequence's bytes as fixed + per_token x tokens, exact for long sequences: windows are full and
// states are there. Bytes a token from capacity and tokens alone would mix the two.
struct KvLine {
  Bytes fixed;
  Bytes per_token;
};
KvLine KvLineOf(const Llm& llm,
                const RankShare& share,
                const Precision& precision,
                const KvLayout& layout);

// Whether `a` and `b` lay this model's cache out alike: policies differ where a layer has a window
// or a state, forms of latents where there are latents.
bool HasWindows(const Llm& llm);
bool HasLatents(const Llm& llm);
bool HasStates(const Llm& llm);

}  // namespace roofcast
