// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/passes.h"

#include <algorithm>

#include "core/scalar.h"

namespace roofcast {
namespace {

Elementwise PassOf(const LayerOnRank& rank,
                   ElementwiseKind kind,
                   double numbers,  // read and written
                   std::int64_t rows,
                   std::int64_t cols) {
  Elementwise op;
  op.traffic = numbers * BytesOf(rank.precision.residual);
  op.work = Flops(op.traffic.value());
  op.kind = kind;
  op.rows = std::max<std::int64_t>(1, rows);
  op.cols = std::max<std::int64_t>(1, cols);
  op.dtype = rank.precision.residual;
  return op;
}

double Tokens(const LayerOnRank& rank) {
  return Number(rank.pass.Tokens());
}

}  // namespace

Elementwise NormsOn(const LayerOnRank& rank, double factor) {
  const bool split = rank.pass.training && rank.plan.sequence_parallel;
  const std::int64_t shares = split ? rank.plan.tp : 1;
  const std::int64_t hidden = rank.llm.hidden;
  const std::int64_t passes = rank.layer.norms > 2 ? 2 : 1;  // Gemma norms the output as well
  const double numbers = 4 * (Tokens(rank) / Number(shares)) * Number(hidden) * Number(passes);
  Elementwise op =
      PassOf(rank, ElementwiseKind::kNorm, numbers * factor, rank.pass.Tokens() / shares, hidden);
  op.launches = passes;
  return op;
}

Elementwise RotaryOn(const LayerOnRank& rank, const Attention& core) {
  const AttentionLayer& a = rank.layer.attention;
  const bool caches = rank.llm.causal && !rank.pass.training;
  std::int64_t numbers =
      core.heads * core.head_dim + core.kv_heads * (core.head_dim + (caches ? core.value_dim : 0));
  if (a.kind == AttentionKind::kLatent) {
    // A part of each head is rotated; expanded keys are put together from two parts.
    const std::int64_t keys = core.shared_values ? 0 : core.heads * core.head_dim;
    numbers = core.heads * a.rotary_dim + keys + a.latent_rank + a.rotary_dim;
  }
  return PassOf(rank,
                ElementwiseKind::kRotary,
                2 * Tokens(rank) * Number(numbers),
                rank.pass.Tokens(),
                numbers);
}

Elementwise GateOn(const LayerOnRank& rank, double factor) {
  const AttentionLayer& a = rank.layer.attention;
  const std::int64_t numbers = a.heads * a.value_dim;
  const double own = Number(numbers) / Number(rank.plan.tp);
  return PassOf(rank,
                ElementwiseKind::kGatedActivation,
                3 * factor * Tokens(rank) * own,
                rank.pass.Tokens(),
                numbers / rank.plan.tp);
}

Elementwise ActivationOn(const LayerOnRank& rank, bool backward) {
  const FfnLayer& ffn = rank.layer.ffn;
  const double inputs = ffn.gated ? 2 : 1;
  const double tensors = backward ? 2 * inputs + 1 : inputs + 1;
  const std::int64_t width = ffn.IsMoe() ? ffn.shared_width : ffn.width;  // of a token
  return PassOf(rank,
                ffn.gated ? ElementwiseKind::kGatedActivation : ElementwiseKind::kActivation,
                Tokens(rank) * tensors * Number(width) / Number(rank.plan.tp),
                rank.pass.Tokens(),
                width / rank.plan.tp);
}

}  // namespace roofcast
