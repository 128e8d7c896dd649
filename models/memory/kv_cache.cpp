// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/memory/ledger.h"

namespace roofcast {
namespace {

// Cached numbers of one token in one layer on one rank. Encoders read all tokens in one pass.
double NumbersPerToken(const Llm& llm, const AttentionLayer& attention, std::int64_t tp) {
  if (!llm.causal || attention.IsNone()) return 0;
  if (attention.kind == AttentionKind::kLatent) {
    return Number(attention.latent_rank + attention.rotary_dim);
  }
  const std::int64_t heads = std::max<std::int64_t>(1, attention.kv_heads / tp);
  return Number(heads * (attention.head_dim + attention.value_dim));
}

}  // namespace

Node KvLedger(const Llm& llm,
              const RankShare& share,
              const Precision& precision,
              std::int64_t sequences,
              std::int64_t tokens) {
  Bytes full;
  Bytes sliding;
  Bytes latent;
  for (std::int64_t i = share.first_layer; i < share.last_layer; ++i) {
    const AttentionLayer& attention = llm.LayerAt(i).attention;
    const bool windowed = attention.IsWindowed();
    const std::int64_t kept = windowed ? std::min(tokens, attention.window) : tokens;
    const Bytes bytes = NumbersPerToken(llm, attention, share.tp) * BytesOf(precision.kv) *
                        Number(kept) * Number(sequences);
    (windowed ? sliding : attention.kind == AttentionKind::kLatent ? latent : full) += bytes;
  }
  Node ledger = BytesNode("KV cache", Bytes(0));
  if (full > Bytes(0)) ledger.Add(BytesNode("full attention", full));
  if (sliding > Bytes(0)) ledger.Add(BytesNode("sliding attention", sliding));
  if (latent > Bytes(0)) ledger.Add(BytesNode("latent attention", latent));
  return ledger;
}

Bytes KvBytesPerTokenOnRank(const Llm& llm, const RankShare& share, const Precision& precision) {
  Bytes bytes;
  for (std::int64_t i = share.first_layer; i < share.last_layer; ++i) {
    bytes += NumbersPerToken(llm, llm.LayerAt(i).attention, share.tp) * BytesOf(precision.kv);
  }
  return bytes;
}

}  // namespace roofcast
