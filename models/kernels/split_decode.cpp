// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/split_decode.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>

#include "core/scalar.h"

namespace roofcast {
namespace {

using Kernel = SplitDecode::Kernel;
using Features = SplitDecode::Features;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t GroupOf(const Attention& op) {
  return std::max<std::int64_t>(1, op.heads / op.kv_heads);
}

std::int64_t KeysInView(const Attention& op) {
  std::int64_t keys = op.keys;
  if (op.window > 0) keys = std::min(keys, op.window);
  if (op.chunk > 0) keys = (op.keys - 1) % op.chunk + 1;
  return keys;
}

bool IsPerHead(const Attention& op, std::int64_t units, const Kernel& kernel) {
  const std::int64_t group = GroupOf(op);
  if (group <= kernel.head_up_to) return true;
  if (kernel.head_above > 0 && group > kernel.head_above) return true;
  if (kernel.head_in_window && op.window > 0) return true;
  constexpr std::int64_t kQuarter = 4;
  constexpr std::int64_t kStep = 128;
  const std::int64_t blocks = op.batch * op.kv_heads * std::max<std::int64_t>(1, op.keys / kStep);
  return kernel.head_unless_filled && kQuarter * blocks < units;
}

// Rows of one CTA's products, padded.
std::int64_t RowsOf(std::int64_t group, const Kernel& kernel) {
  if (kernel.row_growth == 0) {
    return std::min(kernel.rows_most, CeilDiv(group, kernel.row_tile) * kernel.row_tile);
  }
  std::int64_t rows = kernel.row_tile;
  while (rows < group && rows < kernel.rows_most) rows *= kernel.row_growth;
  return std::min(rows, kernel.rows_most);
}

// CTAs that a unit holds at a time. TensorRT-LLM's kernel of one head has smaller CTAs where there
// are more of them: 1 below 4/3 a unit, 4 from 4 a unit on.
std::int64_t ResidentOf(const Features& f,
                        std::int64_t blocks,
                        const SplitQuestion& question,
                        const Kernel& kernel) {
  std::int64_t resident = f.per_head ? kernel.head_resident : kernel.resident;
  if (!f.per_head && !f.merged && kernel.whole_resident > 0) resident = kernel.whole_resident;
  if (resident > 0) return resident;
  if (resident == 0) return question.per_unit;
  if (blocks >= 4 * question.units) return 4;
  return 3 * blocks >= 4 * question.units ? 2 : 1;
}

}  // namespace

SplitDecode::Features SplitDecode::Prepare(const Attention& op,
                                           const Device& device,
                                           const Kernel& kernel) {
  const DeviceRates rates = DeviceRates::Of(device);
  const auto units = static_cast<std::int64_t>(rates.units);
  const std::int64_t group = GroupOf(op);
  const std::int64_t keys = KeysInView(op);
  Features f;
  f.per_head = IsPerHead(op, units, kernel);
  const bool one_each = f.per_head && !kernel.head_is_shared;
  const std::int64_t rows = f.per_head ? 1 : RowsOf(group, kernel);
  const std::int64_t row_blocks = f.per_head ? 1 : CeilDiv(group, rows);
  const std::int64_t blocks = op.batch * (one_each ? op.heads : op.kv_heads * row_blocks);
  const SplitQuestion question = {.keys = keys,
                                  .history = kernel.counts_history ? op.keys : keys,
                                  .blocks = blocks,
                                  .batch = op.batch,
                                  .units = units,
                                  .per_unit = f.per_head ? kernel.head_per_unit : kernel.per_unit,
                                  .step = f.per_head ? 128 : kernel.step};
  const KvPieces pieces = KvSplits(
      static_cast<SplitRule>(f.per_head ? kernel.head_split_rule : kernel.split_rule), question);
  f.pieces = Number(pieces.count);
  f.merged = pieces.merged;
  const std::int64_t resident = ResidentOf(f, blocks, question, kernel);
  f.waves = Number(blocks) * f.pieces / Number(units * resident);
  f.full_waves = std::ceil(f.waves);

  // Pieces before the window are empty, and those in it no shorter than a step.
  double share = Number(keys) / f.pieces;
  if (keys < question.history) share = std::max(share, Number(std::min(keys, question.step)));
  const double step = Number(question.step);
  const double tokens = kernel.rounds ? std::ceil(share / step) * step : share;
  const double cached_dim = Number(op.head_dim + (op.shared_values ? 0 : op.value_dim));
  const double token_bytes = cached_dim * BytesOf(op.kv).value();
  f.block_bytes = tokens * token_bytes;
  f.dim = op.shared_values ? 1 : Number(op.head_dim) / 128;
  if (!op.shared_values && op.head_dim > 128) f.width = op.head_dim <= 192 ? 1 : 2;
  if (!f.per_head) {
    f.padding = Number(rows) / Number(kernel.row_tile) * std::max(1.0, f.dim) - 1;
    if (kernel.flat_rows) f.padding = std::min(f.padding, 1.0);
    f.compute = 2 * Number(op.batch * op.kv_heads) * Number(row_blocks * rows) * Number(keys) *
                Number(op.head_dim + op.value_dim) /
                RateOf(device, kernel.cache_math && device.Supports(op.kv) ? op.kv : op.math);
  }
  if (kernel.merges_rows) f.merge_rows = Number(f.per_head ? 1 : std::min(group, rows));
  f.merge_rows *= f.dim;

  const double cached = Number(op.batch * op.kv_heads) * Number(keys) * token_bytes;
  const double io =
      Number(op.batch * op.heads) * Number(op.head_dim + op.value_dim) * BytesOf(op.io).value();
  f.memory = (cached + io) / rates.bandwidth;
  constexpr double kNoCache = 1e9;
  f.footprint = rates.cache > 0 ? (cached + io) / rates.cache : kNoCache;
  if (one_each && group > 1) f.reread = cached * Number(group);
  f.heads = Number(op.batch * op.heads);
  f.side_heads = op.writes_cache || op.rotates ? f.heads : 0;
  f.swapped = kernel.swaps && group > 1 && op.kv_heads > 1 && op.batch > 1 && !f.per_head;
  f.eager = kernel.eager;
  return f;
}

template <class T>
FormCost<T> SplitDecode::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::pow;
  constexpr double kDimPower = 0.35;
  constexpr double kNano = 1e-3;
  const T waves =
      Max(T(1.0), T((1.0 - c.wave_rounding) * f.waves + c.wave_rounding * f.full_waves));
  T fixed = c.block_time * (1.0 + c.padded_rows * f.padding);
  if (f.merged) fixed += c.block_time * c.piece_cost;
  T rate = c.stream_rate * (1e3 * std::pow(f.dim, kDimPower));
  if (f.per_head) {
    fixed *= c.head_path_block;
    rate *= c.head_path_stream;
  }
  T blocks = waves * (fixed + f.block_bytes / rate);
  if (f.width > 0) blocks *= f.width == 1 ? c.dim_192 : c.dim_256;

  const T miss = 1.0 / (1.0 + pow(c.cache_share / f.footprint, c.cache_edge));
  FormCost<T> cost;
  cost.intercept = c.intercept;
  cost.memory = f.memory * (miss + (1.0 - miss) / c.cache_speed) / c.memory_efficiency;
  cost.compute = SmoothMax(blocks, T(f.compute / c.compute_efficiency), c.overlap);
  T time = SmoothMax(cost.compute, cost.memory, c.overlap);
  time = SmoothMax(time, T(f.reread / (c.reread_rate * 1e6)), c.overlap);
  time += c.intercept;
  if (f.merged) time += c.merge + c.merge_piece * (f.pieces * f.merge_rows);
  time += kNano * f.side_heads * (f.per_head ? c.head_path_time : c.head_time);
  if (f.swapped) time += c.swap + kNano * f.heads * c.swap_head;
  constexpr double kSharply = 6;
  cost.time = f.eager ? SmoothMax(time, c.host_time, kSharply) : time;
  return cost;
}

SizeList SplitDecode::SizesOf(const Attention& op) {
  return {{{{"batch", Number(op.batch)},
            {"keys", Number(KeysInView(op))},
            {"heads", Number(op.heads)},
            {"kv_heads", Number(op.kv_heads)},
            {"head_dim", Number(op.head_dim)}}},
          5};
}

std::string_view SplitDecode::RegimeOf(const Attention& op) {
  const std::int64_t keys = KeysInView(op);
  if (keys <= 64) return "keys <= 64";
  if (keys <= 256) return "keys 65..256";
  return keys <= 4096 ? "keys 257..4096" : "keys > 4096";
}

std::string_view SplitDecode::FamilyOf(const Attention& op) {
  return AttentionFamilyOf(op);
}

std::string SplitDecode::FormatOf(const Attention& op) {
  return AttentionFormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(SplitDecode);

}  // namespace roofcast
