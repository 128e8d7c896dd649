// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensor_list.h"

namespace roofcast::internal {
namespace {

void ListGrouped(const AttentionLayer& a, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kAttention;
  const std::int64_t queries = a.heads * a.head_dim;
  const std::int64_t keys = a.kv_heads * a.head_dim;
  const std::int64_t values = a.kv_heads * a.value_dim;
  const std::int64_t outputs = a.heads * a.value_dim;
  list.Matrix("q", "qkv", kPart, queries, hidden, Shard::kOutputs);
  if (a.output_gate) list.Matrix("gate", "qkv", kPart, outputs, hidden, Shard::kOutputs);
  list.Matrix("k", "qkv", kPart, keys, hidden, Shard::kKvOutputs);
  list.HeadSize(a.head_dim);
  if (!a.values_from_keys) {
    list.Matrix("v", "qkv", kPart, values, hidden, Shard::kKvOutputs);
    list.HeadSize(a.value_dim);
  }
  list.Matrix("o", "o", kPart, hidden, outputs, Shard::kInputs);
  if (a.qkv_bias) {
    list.Vector("q_bias", kPart, queries, Shard::kOutputs);
    list.Vector("k_bias", kPart, keys, Shard::kKvOutputs);
    list.HeadSize(a.head_dim);
    if (!a.values_from_keys) {
      list.Vector("v_bias", kPart, values, Shard::kKvOutputs);
      list.HeadSize(a.value_dim);
    }
  }
  if (a.query_key_norm == QueryKeyNorm::kHead) {
    list.Vector("q_norm", Part::kNorm, a.head_dim, Shard::kReplicated);
    list.Vector("k_norm", Part::kNorm, a.head_dim, Shard::kReplicated);
  } else if (a.query_key_norm == QueryKeyNorm::kWhole) {
    list.Vector("q_norm", Part::kNorm, queries, Shard::kOutputs);
    list.Vector("k_norm", Part::kNorm, keys, Shard::kKvOutputs);
    list.HeadSize(a.head_dim);
  }
  if (a.sinks) list.Vector("sinks", kPart, a.heads, Shard::kOutputs);
}

// Each rank keeps the whole latent, so only what works on heads is split.
void ListLatent(const AttentionLayer& a, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kAttention;
  const std::int64_t queries = a.heads * a.head_dim;
  const std::int64_t latent = a.latent_rank + a.rotary_dim;
  const std::int64_t unrotated = a.head_dim - a.rotary_dim;
  if (a.query_rank > 0) {
    list.Matrix("q_a", "qkv_a", kPart, a.query_rank, hidden, Shard::kReplicated);
    list.Vector("q_a_norm", Part::kNorm, a.query_rank, Shard::kReplicated);
    list.Matrix("q_b", "q_b", kPart, queries, a.query_rank, Shard::kOutputs);
  } else {
    list.Matrix("q", "q", kPart, queries, hidden, Shard::kOutputs);
  }
  const std::string_view compress = a.query_rank > 0 ? "qkv_a" : "kv_a";
  list.Matrix("kv_a", compress, kPart, latent, hidden, Shard::kReplicated);
  list.Vector("kv_a_norm", Part::kNorm, a.latent_rank, Shard::kReplicated);
  list.Matrix(
      "kv_b", "kv_b", kPart, a.heads * (unrotated + a.value_dim), a.latent_rank, Shard::kOutputs);
  list.Matrix("o", "o", kPart, hidden, a.heads * a.value_dim, Shard::kInputs);
  if (a.qkv_bias) {
    if (a.query_rank > 0) list.Vector("q_a_bias", kPart, a.query_rank, Shard::kReplicated);
    list.Vector("kv_a_bias", kPart, latent, Shard::kReplicated);
  }
}

// DSA: the indexer scores every cached token with a few small heads. Each rank keeps it whole,
// since all ranks must pick the same tokens [deepseek-v32].
void ListIndexer(const AttentionLayer& a, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kAttention;
  const std::int64_t queries = a.index_heads * a.index_dim;
  const std::int64_t from = a.query_rank > 0 ? a.query_rank : hidden;
  list.Matrix("index_q", "index_q", kPart, queries, from, Shard::kReplicated);
  list.Matrix("index_k", "index_k", kPart, a.index_dim, hidden, Shard::kReplicated);
  list.Vector("index_k_norm", Part::kNorm, a.index_dim, Shard::kReplicated, 2);  // weight and bias
  list.Matrix(kIndexWeights, kIndexWeights, kPart, a.index_heads, hidden, Shard::kReplicated);
}

}  // namespace

void ListAttention(const AttentionLayer& attention, std::int64_t hidden, TensorList& list) {
  if (attention.IsNone()) return;
  if (attention.kind == AttentionKind::kLinear) {
    list.Matrix("linear", "linear", Part::kAttention, hidden, hidden, Shard::kInputs);
  } else if (attention.kind == AttentionKind::kLatent) {
    ListLatent(attention, hidden, list);
  } else {
    ListGrouped(attention, hidden, list);
  }
  if (attention.index_heads > 0) ListIndexer(attention, hidden, list);
  if (attention.output_bias) {
    list.Vector("o_bias", Part::kAttention, hidden, Shard::kReplicated);
  }
}

}  // namespace roofcast::internal
