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

// Numbers of one token that a recurrent mixer keeps on one rank: what its projection makes, the
// channels after the convolution, and its output before and after the norm or gate. The states
// between chunks are worked out again in backward.
double RecurrentNumbers(const RecurrentLayer& recurrent, std::int64_t tp) {
  if (recurrent.IsNone()) return 0;
  const double inner = Number(recurrent.Inner()) / Number(tp);
  const double groups = std::max(1.0, Number(recurrent.key_heads) / Number(tp));
  const double keys = recurrent.kind == RecurrentKind::kMamba
                          ? Number(recurrent.rank + 2 * recurrent.state_dim)
                          : 2 * groups * Number(recurrent.state_dim);
  const double made = 2 * inner + keys + Number(recurrent.heads) / Number(tp);
  const double convolved = recurrent.taps == 0                       ? 0
                           : recurrent.kind == RecurrentKind::kMamba ? inner
                                                                     : inner + keys;
  return made + convolved + 2 * inner;
}

// Numbers of the copies of a token in the order of its experts. Ranks that share an expert have
// them whole; the tokens of a tp group are otherwise dealt to its ranks.
double RoutedNumbers(const Llm& llm, const FfnLayer& ffn, double share = 1) {
  return ffn.IsMoe() ? share * Number(ffn.experts_per_token) * Number(llm.hidden) : 0;
}

// Numbers of one token that the FFN keeps: what the activation reads and what it writes. A fused
// gated one rebuilds the activated half in backward, so that it keeps three tensors, not four.
double FfnNumbers(const FfnLayer& ffn, std::int64_t tp, std::int64_t gated_tensors = 3) {
  const double tensors = ffn.gated ? Number(gated_tensors) : 2.0;
  const double width =
      Number(ffn.width) * Number(std::max<std::int64_t>(1, ffn.experts_per_token)) +
      Number(ffn.shared_width);
  return tensors * width / Number(tp);
}

// Inputs of mixer and FFN, which the matrix products read; one where both read the same.
double Inputs(const Layer& layer) {
  const bool mixes = !layer.attention.IsNone() || !layer.recurrent.IsNone();
  const bool feeds = !layer.ffn.IsNone();
  return mixes && feeds && !layer.parallel ? 2 : 1;
}

// Outputs of mixer and FFN that dropout masks, at a byte a number.
double Masks(const Layer& layer) {
  return layer.parallel ? 2 : Inputs(layer);
}

// Bytes a token of what lies between queries and values: the softmax of each score, the mask of its
// dropout and what that leaves; or the log-sum-exp of a row.
Bytes CoreOfAttention(const AttentionLayer& attention,
                      const ActivationShape& shape,
                      const Precision& precision) {
  if (attention.IsNone() || shape.recompute != Recompute::kNone) return Bytes(0);
  const double heads = Number(attention.heads) / Number(shape.tp);
  if (shape.attention == AttentionForm::kFlash) return heads * Bytes(4);
  const Bytes element = BytesOf(precision.residual);
  const Bytes score = shape.dropout ? 2.0 * element + Bytes(1) : element;
  return heads * Number(shape.sequence) * score;
}

}  // namespace

Bytes ActivationsOfLayer(const Llm& llm,
                         const Layer& layer,
                         const ActivationShape& shape,
                         const Precision& precision) {
  const Bytes element = BytesOf(precision.residual);
  const double hidden = Number(llm.hidden) / shape.HiddenRanks();
  if (shape.recompute == Recompute::kFull) return shape.Tokens() * hidden * element;
  const std::int64_t moe_tp = shape.moe_tp == 0 ? shape.tp : shape.moe_tp;
  // Inputs of the norms (Gemma has four), then of mixer and FFN.
  const double numbers = (Number(layer.norms) + Inputs(layer)) * hidden +
                         AttentionNumbers(layer.attention, shape.tp) +
                         RecurrentNumbers(layer.recurrent, shape.tp) +
                         FfnNumbers(layer.ffn, shape.tp, shape.gated_tensors) +
                         RoutedNumbers(llm, layer.ffn, Number(moe_tp) / Number(shape.tp));
  const double beside = (shape.dropout ? Masks(layer) * hidden : 0) +
                        Number(layer.norms) * shape.norm_statistic_bytes / shape.HiddenRanks();
  return shape.Tokens() *
         (numbers * element + Bytes(beside) + CoreOfAttention(layer.attention, shape, precision));
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
