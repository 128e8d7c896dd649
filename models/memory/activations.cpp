// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/llm/tensors.h"
#include "models/memory/ledger.h"

namespace roofcast {
namespace {

// Numbers of one token that attention keeps on one rank: rotated queries, keys and values, and the
// output that the projection multiplies. A norm of queries and keys keeps its input; MLA keeps, on
// every rank, what its two norms read and write, and the rotated key that all heads share.
double AttentionNumbers(const AttentionLayer& attention, std::int64_t tp) {
  if (attention.IsNone()) return 0;
  const double heads = Number(attention.heads) / Number(tp);
  const double kv_heads = std::max(1.0, Number(attention.kv_heads) / Number(tp));
  const double whole = Number(attention.head_dim + attention.value_dim);
  double numbers = (heads + kv_heads) * whole;
  if (attention.query_key_norm != QueryKeyNorm::kNone)
    numbers += (heads + kv_heads) * Number(attention.head_dim);
  if (attention.kind == AttentionKind::kLatent) {
    numbers += Number(2 * attention.query_rank + 2 * attention.latent_rank + attention.rotary_dim);
  }
  return numbers;
}

// Numbers of the copies of a token in the order of its experts; every rank has them whole.
double RoutedNumbers(const Llm& llm, const FfnLayer& ffn) {
  return ffn.IsMoe() ? Number(ffn.experts_per_token) * Number(llm.hidden) : 0;
}

// Numbers of one token that the FFN keeps: what the activation reads and what it writes (a fused
// gated one rebuilds the activated half in backward).
double FfnNumbers(const FfnLayer& ffn, std::int64_t tp) {
  const double per_expert = (ffn.gated ? 3.0 : 2.0) * Number(ffn.width) / Number(tp);
  const double shared = (ffn.gated ? 3.0 : 2.0) * Number(ffn.shared_width) / Number(tp);
  return per_expert * Number(std::max<std::int64_t>(1, ffn.experts_per_token)) + shared;
}

}  // namespace

Bytes ActivationsOfLayer(const Llm& llm,
                         const Layer& layer,
                         const ActivationShape& shape,
                         const Precision& precision) {
  const double tokens = Number(shape.batch) * Number(shape.sequence);
  const Bytes element = BytesOf(precision.residual);
  const double hidden = Number(llm.hidden) / (shape.sequence_parallel ? Number(shape.tp) : 1.0);
  if (shape.full_recompute) return tokens * hidden * element;
  // Inputs of the norms (Gemma has four), and the inputs of attention and FFN, which the matrix
  // products read.
  const double numbers = Number(layer.norms + 2) * hidden +
                         AttentionNumbers(layer.attention, shape.tp) +
                         FfnNumbers(layer.ffn, shape.tp) + RoutedNumbers(llm, layer.ffn);
  const Bytes log_sum_exp = Number(layer.attention.heads) / Number(shape.tp) * Bytes(4);
  return tokens * (numbers * element + log_sum_exp);
}

Bytes LogitsOnRank(const Llm& llm, std::int64_t tokens, std::int64_t tp) {
  // Logits and softmax in fp32 are alive together when the loss is taken.
  constexpr double kBytesPerLogit = 8;
  return Number(tokens) * (Number(llm.vocabulary) / Number(tp)) * Bytes(kBytesPerLogit);
}

Bytes InferenceWorkspace(const Llm& llm,
                         const RankShare& share,
                         const Precision& precision,
                         std::int64_t tokens,
                         std::int64_t logits) {
  double widest = 0;
  for (const Layer& layer : llm.kinds) {
    const double attention = AttentionNumbers(layer.attention, share.tp);
    const double ffn = FfnNumbers(layer.ffn, share.tp) + RoutedNumbers(llm, layer.ffn);
    widest = std::max({widest, attention, ffn});
  }
  // The residual stream and the normed input stay alive beside the widest pair of tensors.
  const Bytes layers =
      Number(tokens) * (2.0 * Number(llm.hidden) + widest) * BytesOf(precision.residual);
  if (!share.head || !llm.has_head) return layers;
  return std::max(layers, LogitsOnRank(llm, logits, share.tp));
}

}  // namespace roofcast
