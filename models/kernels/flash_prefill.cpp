// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/flash_prefill.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>

#include "models/kernels/attention_tiles.h"

namespace roofcast {
namespace {

constexpr std::int64_t kRotated = 64;  // numbers of a latent that aren't values
// Threads that write a token's keys or values, at most. Source: [vllm-cache-kernels].
constexpr double kWriteBlock = 512;
constexpr double kExpsPerCycle = 16;  // of an SM, since Volta

// FlashInfer's plan of a batched prefill: the tile by the packed queries (FA2DetermineCtaTileQ),
// and the fewest keys a part, at least 128, with which two blocks an SM hold all parts
// (PrefillBinarySearchKVChunkSize). Source: [flashinfer-scheduler].
constexpr double kLeastPart = 128;
constexpr double kBlocksPerUnit = 2;

std::int64_t PlannedRows(const Attention& op, std::int64_t packed) {
  const std::int64_t rows = op.queries * packed;
  if (rows > 64 && op.head_dim < 256) return 128;
  return rows > 16 ? 64 : 16;
}
// Keys a part; all of them when they aren't split.
double PlannedPart(const Attention& op, double blocks, double units) {
  const double keys = Number(op.keys);
  const double fit = std::floor(kBlocksPerUnit * units / Number(op.kv_heads));
  const double most_parts = std::floor(fit / (Number(op.batch) * blocks));
  if (most_parts < 2) return keys;
  return std::min(keys, std::max(kLeastPart, std::ceil(keys / most_parts)));
}

std::int64_t PackedHeads(const Attention& op, const FlashPrefill::Kernel& kernel) {
  if (op.shared_values) return op.heads;
  const bool packs = kernel.packs == 1 || (kernel.packs == 2 && op.queries == 1);
  return packs ? std::max<std::int64_t>(1, op.heads / op.kv_heads) : 1;
}

// Every head attends to the latents, whose first part is also the values.
Attention Absorbed(Attention op) {
  op.kv_heads = 1;
  op.head_dim = op.latent;
  op.value_dim = std::max<std::int64_t>(1, op.latent - kRotated);
  op.shared_values = true;
  return op;
}

FlashPrefill::Head HeadOf(std::int64_t dim) {
  using Head = FlashPrefill::Head;
  if (dim <= 64) return Head::k64;
  if (dim <= 72) return Head::k72;
  if (dim <= 80) return Head::k80;
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
    case Head::k72:
      return c.head_72;
    case Head::k80:
      return c.head_80;
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

FlashPrefill::Features FlashPrefill::Prepare(const Attention& asked,
                                             const Device& device,
                                             const Kernel& kernel) {
  const Attention op = kernel.absorbs && asked.latent > 0 ? Absorbed(asked) : asked;
  const DeviceRates rates = DeviceRates::Of(device);
  const std::int64_t packed = PackedHeads(op, kernel);
  const std::int64_t rows = kernel.plans ? PlannedRows(op, packed) : kernel.tile_rows;
  const AttentionTile tile{rows, kernel.tile_keys, packed};
  const TileCounts seen = CountTiles(op, tile);
  const double sets = Number(op.batch) * std::ceil(Number(op.heads) / Number(packed));
  const double tokens = Number(op.batch) * Number(op.queries);
  const double dims = Number(op.head_dim + op.value_dim);
  const double scores = Number(rows) * Number(kernel.tile_keys);
  const double backward = op.backward ? BackwardWork(op) : 1;
  const double passes = op.backward ? 2 : 1;
  const DType math = kernel.cache_math ? op.kv : op.math;

  Features f;
  f.units = rates.units;
  f.ctas = sets * seen.ctas;
  f.key_tiles = sets * seen.key_tiles;
  f.longest = seen.longest;
  f.cta_size = dims / 256 * Number(rows) / 128;
  if (kernel.walks_masked && op.window > 0) {
    Attention all = op;
    all.window = 0;
    const TileCounts walked = CountTiles(all, tile);
    f.masked_tiles = sets * (walked.key_tiles - seen.key_tiles);
    f.masked_longest = walked.longest - seen.longest;
  }
  if (kernel.plans) {
    const double part = PlannedPart(op, seen.ctas, rates.units);
    if (part < Number(op.keys)) {
      const auto part_keys = static_cast<std::int64_t>(part);
      const TileCounts parts = CountTiles(op, {rows, part_keys, packed});
      f.ctas = sets * parts.key_tiles;
      f.longest = std::min(seen.longest, std::ceil(part / Number(kernel.tile_keys)));
      f.merged = f.ctas * Number(rows) * Number(op.value_dim) * 4;
    }
  }
  f.mma = backward * 2 * scores * dims * rates.units / RateOf(device, math);
  f.exp = scores / (kExpsPerCycle * rates.clock);
  f.io = passes * tokens * Number(op.heads) * dims * BytesOf(op.io).value();
  f.cached = passes * CachedBytesSeen(op).value();
  const double numbers = tokens * Number(CachedNumbers(op));
  f.fresh = numbers * BytesOf(op.io).value();
  f.written = numbers * BytesOf(op.kv).value();
  f.footprint = f.io + f.fresh + f.cached;
  if (!op.writes_cache) f.fresh = f.written = 0;
  if (op.rotates || !kernel.rotates) f.side_queries = f.io;
  if (op.writes_cache) f.tokens = tokens;
  f.write_block = std::min(1.0, Number(CachedNumbers(op)) / 2 / kWriteBlock);
  if (f.side_queries > 0) f.token_heads = tokens * Number(op.heads);
  f.cache = rates.cache;
  f.bandwidth = rates.bandwidth;
  f.windowed = op.window > 0 && op.window < op.keys;
  f.is_single = op.queries == 1;
  f.swaps = f.is_single && op.heads > op.kv_heads && op.kv_heads > 1;
  f.eager = kernel.eager;
  if (op.latent == 0) f.head = HeadOf(op.head_dim);
  return f;
}

template <class T>
FormCost<T> FlashPrefill::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::pow;
  const T mma = f.mma / (c.compute_efficiency * HeadFactor(f.head, c));
  const T tile = CubicNorm(mma, T(f.exp * c.exponential));
  T cta = c.cta + c.cta_size * f.cta_size;
  if (f.windowed) cta *= 1.0 + c.window_cta;
  if (f.head == Head::k64) cta *= c.cta_64;
  const T key_tiles = f.key_tiles + f.masked_tiles * c.masked_tile;
  const T longest_tiles = f.longest + f.masked_longest * c.masked_tile;
  const T all = (f.ctas * cta + key_tiles * tile) / f.units;
  const T longest = (cta + longest_tiles * tile) * c.tail;

  T miss(1);
  if (f.cache > 0) miss = 1.0 / (1.0 + pow(c.cache_share * (f.cache / f.footprint), c.cache_edge));
  const T per_byte = (miss + (1.0 - miss) / c.cache_speed) / (c.memory_efficiency * f.bandwidth);

  FormCost<T> cost;
  cost.intercept = c.intercept;
  if (f.is_single) cost.intercept *= c.single;
  if (f.swaps) cost.intercept += c.single_swap;
  if (f.windowed) cost.intercept += c.window_launch;
  if (f.head == Head::k192) cost.intercept += c.odd_head;
  cost.compute = SmoothMax(all, longest, c.balance);
  cost.memory = (f.io + f.cached) * per_byte;
  const T side =
      (c.cache_write * (f.fresh + f.written) + c.query_passes * f.side_queries) * per_byte +
      (c.token + c.token_block * f.write_block) * f.tokens + c.token_head * f.token_heads;
  cost.time = cost.intercept + CubicNorm(cost.compute, cost.memory) + side;
  if (f.merged > 0) cost.time += c.merge + c.merge_passes * f.merged * per_byte;
  if (f.eager) cost.time = SmoothMax(cost.time, c.host, 6.0);
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
