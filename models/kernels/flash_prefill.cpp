// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/flash_prefill.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>

#include "models/kernels/attention_tiles.h"

namespace roofcast {
namespace {

constexpr double kExpsPerCycle = 16;  // of an SM, since Volta
constexpr double kSplitKeys = 128;    // fewest keys of a part

std::int64_t PackedHeads(const Attention& op, const FlashPrefill::Kernel& kernel) {
  if (kernel.absorbs) return op.heads;
  const bool packs = kernel.packs == 1 || (kernel.packs == 2 && op.queries == 1);
  return packs ? std::max<std::int64_t>(1, op.heads / op.kv_heads) : 1;
}

FlashPrefill::Head HeadOf(std::int64_t dim) {
  using Head = FlashPrefill::Head;
  if (dim <= 64) return Head::k64;
  if (dim <= 128) return Head::kUsual;
  if (dim <= 192) return Head::k192;
  return dim <= 256 ? Head::k256 : Head::k512;
}

template <class T>
T HeadFactor(FlashPrefill::Head head, const FlashPrefill::Coefficients<T>& c) {
  using Head = FlashPrefill::Head;
  switch (head) {
    case Head::k64:
      return c.head_64;
    case Head::k192:
      return c.head_192;
    case Head::k256:
      return c.head_256;
    case Head::k512:
      return c.head_512;
    case Head::kUsual:
      break;
  }
  return T(1);
}

template <class T>
T Cube(const T& x) {
  return x * x * x;
}
template <class T>
T CubicNorm(const T& a, const T& b) {
  using std::cbrt;
  return cbrt(Cube(a) + Cube(b));
}

}  // namespace

FlashPrefill::Features FlashPrefill::Prepare(const Attention& op,
                                             const Device& device,
                                             const Kernel& kernel) {
  const DeviceRates rates = DeviceRates::Of(device);
  const std::int64_t packed = PackedHeads(op, kernel);
  const TileCounts counts = CountTiles(op, {kernel.tile_rows, kernel.tile_keys, packed});
  const double sets = Number(op.batch) * std::ceil(Number(op.heads) / Number(packed));
  const double tokens = Number(op.batch) * Number(op.queries);
  const double dims = Number(op.head_dim + op.value_dim);
  const double scores = Number(kernel.tile_rows) * Number(kernel.tile_keys);
  const double backward = op.backward ? BackwardWork(op) : 1;
  const double passes = op.backward ? 2 : 1;
  const DType math = kernel.cache_math ? op.kv : op.math;

  Features f;
  f.units = rates.units;
  f.ctas = sets * counts.ctas;
  f.key_tiles = sets * counts.key_tiles;
  f.longest = counts.longest;
  f.cta_size = dims / 256 * Number(kernel.tile_rows) / 128;
  f.mma = backward * 2 * scores * dims * rates.units / RateOf(device, math);
  f.exp = scores / (kExpsPerCycle * rates.clock);
  f.io = passes * tokens * Number(op.heads) * dims * BytesOf(op.io).value();
  f.cached = passes * CachedBytesSeen(op).value();
  const double numbers = tokens * Number(CachedNumbers(op));
  f.fresh = numbers * BytesOf(op.io).value();
  f.written = numbers * BytesOf(op.kv).value();
  f.footprint = f.io + f.fresh + f.cached;
  if (!op.writes_cache) f.fresh = f.written = 0;
  f.side_queries = f.io;
  f.tokens = tokens;
  f.token_heads = tokens * Number(op.heads);
  f.cache = rates.cache;
  f.bandwidth = rates.bandwidth;
  f.merged = f.token_heads * Number(op.value_dim) * 8;
  if (kernel.splits) f.most_parts = std::max(1.0, Number(op.keys) / kSplitKeys);
  f.windowed = op.window > 0 && op.window < op.keys;
  f.is_single = op.queries == 1;
  f.swaps = f.is_single && op.heads > op.kv_heads && op.kv_heads > 1;
  f.head = HeadOf(op.head_dim);
  return f;
}

template <class T>
FormCost<T> FlashPrefill::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::pow;
  T parts(1);
  if (f.most_parts > 1) {
    parts = Min(Max(c.split_fill * f.units / f.ctas, T(1)), T(f.most_parts));
  }
  const T mma = f.mma / (c.compute_efficiency * HeadFactor(f.head, c));
  const T tile = CubicNorm(mma, T(f.exp * c.exponential));
  T cta = c.cta + c.cta_size * f.cta_size;
  if (f.windowed) cta *= 1.0 + c.window_cta;
  const T all = (f.ctas * cta * parts + f.key_tiles * tile) / f.units;
  const T longest = (cta + f.longest * tile / parts) * c.tail;

  T miss(1);
  if (f.cache > 0) miss = 1.0 / (1.0 + pow(c.cache_share * (f.cache / f.footprint), c.cache_edge));
  const T per_byte = (miss + (1.0 - miss) / c.cache_speed) / (c.memory_efficiency * f.bandwidth);

  FormCost<T> cost;
  cost.intercept = c.intercept;
  if (f.is_single) cost.intercept *= c.single;
  if (f.swaps) cost.intercept += c.single_swap;
  if (f.head == Head::k192) cost.intercept += c.odd_head;
  cost.compute = SmoothMax(all, longest, c.balance);
  cost.memory = (f.io + f.cached) * per_byte;
  const T side = (c.cache_write * (f.fresh + f.written) + c.query_passes * f.side_queries) * per_byte +
                 c.token * f.tokens + c.token_head * f.token_heads;
  cost.time = cost.intercept + CubicNorm(cost.compute, cost.memory) + side;
  if (f.most_parts > 1) {
    cost.time += c.merge * Min(T(parts - 1.0), T(1)) +
                 c.merge_passes * (parts - 1.0) * f.merged * per_byte;
  }
  return cost;
}

SizeList FlashPrefill::SizesOf(const Attention& op) {
  return {{{{"tokens", Number(op.batch) * Number(op.queries)},
            {"keys", Number(op.keys)},
            {"heads", Number(op.heads)},
            {"kv_heads", Number(op.kv_heads)},
            {"head_dim", Number(op.head_dim)}}},
          5};
}

std::string_view FlashPrefill::RegimeOf(const Attention& op) {
  if (op.queries == 1) return "1 query";
  if (op.queries <= 64) return "2..64 queries";
  if (op.queries <= 256) return "65..256 queries";
  return op.queries <= 1024 ? "257..1024 queries" : "over 1024 queries";
}

std::string_view FlashPrefill::FamilyOf(const Attention& op) {
  return AttentionFamilyOf(op);
}

std::string FlashPrefill::FormatOf(const Attention& op) {
  return AttentionFormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(FlashPrefill);

}  // namespace roofcast
