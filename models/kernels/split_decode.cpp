// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/split_decode.h"

#include <ceres/jet.h>

#include <algorithm>

#include "core/scalar.h"

namespace roofcast {
namespace {
std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
}  // namespace

SplitDecode::Features SplitDecode::Prepare(const Attention& op,
                                           const Device& device,
                                           const Kernel& kernel) {
  const DeviceRates rates = DeviceRates::Of(device);
  const auto units = static_cast<std::int64_t>(rates.units);
  const std::int64_t group = std::max<std::int64_t>(1, op.heads / op.kv_heads);
  const std::int64_t keys = op.window > 0 ? std::min(op.window, op.keys) : op.keys;
  Features f;
  f.windowed = op.window > 0 && op.keys > op.window;
  f.per_head = group <= kernel.head_up_to || (kernel.head_above > 0 && group > kernel.head_above) ||
               (kernel.head_in_window && op.window > 0);
  if (kernel.head_unless_filled &&
      4 * op.batch * op.kv_heads * std::max<std::int64_t>(1, op.keys / 128) < units) {
    f.per_head = true;
  }
  std::int64_t rows = kernel.row_tile;
  while (rows < group && rows < kernel.rows_most) rows *= kernel.row_growth;
  rows = std::min(rows, kernel.rows_most);
  const std::int64_t row_blocks = CeilDiv(group, rows);
  const bool one_each = f.per_head && !kernel.head_is_shared;
  const std::int64_t blocks =
      op.batch * (one_each ? op.heads : op.kv_heads * (f.per_head ? 1 : row_blocks));
  const SplitQuestion question = {.keys = keys,
                                  .history = op.keys,
                                  .blocks = blocks,
                                  .units = units,
                                  .per_unit = f.per_head ? kernel.head_per_unit : kernel.per_unit,
                                  .step = f.per_head ? kernel.head_step : kernel.step,
                                  .batch = op.batch};
  const auto rule = static_cast<SplitRule>(f.per_head ? kernel.head_split_rule : kernel.split_rule);
  const KvPieces pieces = KvSplits(rule, question);
  f.splits = Number(pieces.count);
  f.merged = pieces.merged;
  f.merge_rows =
      f.dim * (kernel.merges_rows ? Number(f.per_head ? 1 : std::min(group, rows)) : 1.0);
  std::int64_t resident = f.per_head ? kernel.head_resident : kernel.resident;
  if (!f.merged && !f.per_head && kernel.whole_resident > 0) resident = kernel.whole_resident;
  if (resident == 0) resident = question.per_unit;
  if (resident < 0) resident = 3 * blocks >= 12 * units ? 4 : 3 * blocks >= 4 * units ? 2 : 1;
  const double n = Number(blocks) * f.splits / Number(units * resident);
  f.waves = n;
  f.full_waves = std::ceil(n);
  double share = Number(keys) / f.splits;
  if (f.windowed) share = std::max(share, Number(std::min(keys, question.step)));
  f.tokens =
      kernel.rounds ? std::ceil(share / Number(question.step)) * Number(question.step) : share;
  const double kv_bytes = BytesOf(op.kv).value();
  f.token_bytes = 2 * Number(op.head_dim) * kv_bytes;
  f.dim = Number(op.head_dim) / 128;
  if (!f.per_head) f.padding = Number(rows) / Number(kernel.row_tile) * std::max(1.0, f.dim) - 1;
  if (kernel.flat_rows) f.padding = std::min(f.padding, 1.0);
  f.keys = Number(keys);
  const double cached = Number(op.batch * op.kv_heads) * Number(keys) * f.token_bytes;
  const double io = 4 * Number(op.batch * op.heads * op.head_dim);
  f.memory = (cached + io) / rates.bandwidth;
  f.footprint = rates.cache > 0 ? (cached + io) / rates.cache : 1e9;
  if (!f.per_head) {
    f.compute = 4 * Number(op.batch * op.kv_heads * row_blocks * rows) * Number(keys) *
                Number(op.head_dim) / RateOf(device, op.math);
  }
  if (one_each && group > 1) f.replicated = cached * Number(group);
  f.query_heads = Number(op.batch * op.heads);
  f.swapped = kernel.swaps && group > 1 && op.kv_heads > 1 && op.batch > 1 && !f.per_head;
  f.width = op.head_dim <= 64 ? 1 : op.head_dim <= 128 ? 0 : op.head_dim <= 192 ? 2 : 3;
  return f;
}

template <class T>
FormCost<T> SplitDecode::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::exp;
  using std::pow;
  T waves = (1.0 - c.wave) * f.waves + c.wave * f.full_waves;
  if (waves < 1.0) waves = T(1.0);
  T fixed = c.c0 * (1.0 + c.cM * f.padding + (f.merged ? c.cs : T(0.0)));
  T rate = c.r1 * 1e3 * pow(T(f.dim), c.rd);
  if (f.per_head) {
    fixed = c.c0 * c.mc;
    rate = rate * c.mr;
  }
  T cta = waves * (fixed + f.tokens * f.token_bytes / rate);
  if (f.width == 1) cta = cta * c.f64;
  if (f.width == 2) cta = cta * c.f192;
  if (f.width == 3) cta = cta * c.f256;
  const T miss = 1.0 / (1.0 + pow(c.phi / f.footprint, c.sharp));
  const T beta = (miss + (1.0 - miss) / c.el2) / c.em;
  FormCost<T> cost;
  cost.memory = f.memory * beta;
  cost.compute = f.compute / c.ec;
  T sum = pow(cta, c.p) + pow(cost.memory, c.p);
  if (f.compute > 0) sum += pow(cost.compute, c.p);
  if (f.replicated > 0) sum += pow(f.replicated / (c.fb * 1e6), c.p);
  T t = c.t0 + pow(sum, 1.0 / c.p);
  if (f.merged) t += c.tc + c.tcs * (f.splits * f.merge_rows);
  t += 1e-3 * f.query_heads * (f.per_head ? c.mq : c.kq);
  if (f.per_head) t += c.mt;
  t += (f.per_head ? c.mk : c.kt) * (1.0 - std::exp(-f.keys / 1000));
  if (f.windowed) t += c.tw;
  if (f.swapped) t += c.sw + 1e-3 * f.query_heads * c.ks;
  cost.intercept = c.t0;
  cost.time = t;
  return cost;
}

SizeList SplitDecode::SizesOf(const Attention& op) {
  return {{{{"batch", Number(op.batch)},
            {"keys", Number(op.window > 0 ? std::min(op.window, op.keys) : op.keys)},
            {"heads", Number(op.heads)},
            {"kv_heads", Number(op.kv_heads)},
            {"head_dim", Number(op.head_dim)}}},
          5};
}

std::string_view SplitDecode::RegimeOf(const Attention& op) {
  if (op.keys <= 64) return "keys <= 64";
  if (op.keys <= 256) return "keys 65..256";
  return op.keys <= 4096 ? "keys 257..4096" : "keys > 4096";
}

std::string_view SplitDecode::FamilyOf(const Attention& op) {
  return AttentionFamilyOf(op);
}

std::string SplitDecode::FormatOf(const Attention& op) {
  return AttentionFormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(SplitDecode);

}  // namespace roofcast
