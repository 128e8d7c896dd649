// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/grouped_gemm_moe.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofcast {
namespace {

using Kernel = GroupedGemmMoe::Kernel;

// Smallest and largest tile that the kernel may run with.
std::pair<std::int64_t, std::int64_t> TilesAllowed(const FusedMoe& op,
                                                   double tokens,
                                                   const Kernel& kernel) {
  // As the engines have it: all rows over this rank's experts, whatever part of them is its own.
  const double average = tokens * Number(op.per_token) * Number(op.ep) / Number(op.experts);
  if (op.experts <= kernel.tuned_experts) return {kernel.least_tile, kernel.most_tile};
  std::int64_t tile = kernel.least_tile;
  switch (kernel.tile_rule) {
    case GroupedGemmMoe::kTriton:
      tile = tokens <= Number(op.experts / op.ep) ? 16 : 64;
      break;
    case GroupedGemmMoe::kMarlin:
      for (const std::int64_t next : {8, 16, 32, 48, 64}) {
        tile = next;
        if (average < 0.9 * Number(tile)) break;
      }
      break;
    case GroupedGemmMoe::kAverage:
      while (tile < kernel.most_tile && Number(tile) < average) tile *= 2;
      break;
    case GroupedGemmMoe::kStepped:
      tile = tokens <= 32 ? 16 : tokens <= 96 ? 32 : tokens <= 512 ? 64 : 128;
      break;
    default:
      return {kernel.least_tile, kernel.most_tile};
  }
  return {tile, tile};
}

template <class T>
T BusyShare(const T& blocks, const T& needed) {
  return Min(T(1.0), T(blocks / needed));
}

}  // namespace

GroupedGemmMoe::Features GroupedGemmMoe::Prepare(const FusedMoe& op,
                                                 const Device& device,
                                                 const Kernel& kernel) {
  const RoutedLoad load = RouteTokens(op.tokens, op.per_token, op.experts, op.ep, op.routing);
  const DeviceRates rates = DeviceRates::Of(device);
  const double hidden = Number(op.hidden);
  const double width = op.WidthOnRank();
  const double gates = Number(op.Matrices() - 1);
  const double tokens = kernel.own_tokens ? load.touching : Number(op.tokens);
  const double rate = RateOf(device, op.math) / rates.units;
  const double columns = Number(kernel.columns);
  const double in = BytesOf(op.input).value();
  const double out = BytesOf(op.output).value();
  const double weight = BytesOf(op.weights).value() * op.weight_overhead;

  Features f;
  const auto product = [&](double n, double k) {
    Product p;
    p.weights = load.active * n * k * weight;
    p.rows = load.rows * (k * in + n * out);
    p.depth = k / 1000;
    p.columns = std::ceil(n / columns);
    p.row_work = 2 * columns * k / rate;
    return p;
  };
  f.products = {product(gates * width, hidden), product(hidden, width)};
  const auto [least, most] = TilesAllowed(op, tokens, kernel);
  double empty_tiles = 0;
  for (std::size_t i = 0; i < kTileRows.size(); ++i) {
    if (kTileRows[i] < least || kTileRows[i] > most) continue;
    f.tiles[i] = load.tiles[i];
    empty_tiles = load.all_tiles[i] - load.tiles[i];
  }
  f.passes = op.backward ? 2 : 1;
  f.units = rates.units;
  f.bandwidth = rates.bandwidth;
  if (op.warm_weights) {
    f.cache_over_weights = rates.cache / (f.products[0].weights + f.products[1].weights);
  }
  f.slots = tokens * Number(op.per_token);
  f.order = 0.5 * out * (4 * tokens * hidden + load.rows * (4 * hidden + 2 * (gates + 1) * width));
  f.slot_bytes = 0.5 * out * f.slots * ((2 * gates + 1) * 2 * width + 4 * hidden);
  f.cache_over_rows = rates.cache / (f.order + f.slot_bytes);
  f.active = load.active;
  f.experts = Number(op.experts / op.ep);
  if (kernel.empty_blocks) {
    f.empty = empty_tiles * (f.products[0].columns + f.products[1].columns) / rates.units;
  }
  return f;
}

template <class T>
FormCost<T> GroupedGemmMoe::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::pow;
  const T by_memory = 1.0 / (f.bandwidth * c.memory_efficiency);
  // us a byte, of what is `over` times smaller than the cache.
  const auto time_of_byte = [&](double over) {
    if (over <= 0) return T(by_memory);
    T room = c.cache_share * over;
    for (int i = 0; i < 3; ++i) room = room * room;
    const T missed = 1.0 / (1.0 + room);
    return T(by_memory * (missed + (1.0 - missed) / c.cache_gain));
  };
  const T weight_time = time_of_byte(f.cache_over_weights);
  const T row_time = time_of_byte(f.cache_over_rows);
  std::array<T, 2> best{};
  FormCost<T> cost;
  for (std::size_t i = 0; i < f.tiles.size(); ++i) {
    if (f.tiles[i] <= 0) continue;
    const double rows = Number(kTileRows[i]);
    const T reached = c.compute_efficiency * pow(rows / 128, c.tile_exponent);
    for (std::size_t g = 0; g < f.products.size(); ++g) {
      const Product& p = f.products[g];
      const double blocks = f.tiles[i] * p.columns;
      const T per = rows * p.row_work / reached + c.tile_cost;
      const T work = SmoothMax(T(blocks / f.units * per), per, c.waves);
      const T depth = c.tile_cost + c.depth_cost * p.depth;
      const T again = 1.0 + c.refetch * (f.tiles[i] / f.active - 1.0);
      const T memory =
          p.weights * again * weight_time / BusyShare(T(blocks / f.units), c.busy_share) +
          p.rows * c.row_traffic * row_time;
      const T time = SmoothMax(SmoothMax(work, memory, c.overlap), depth, c.overlap);
      if (best[g] > 0.0 && !(time < best[g])) continue;
      best[g] = time;
      if (g == 0) cost.compute = work, cost.memory = memory;
    }
  }
  cost.intercept = c.intercept;
  const T products = best[0] + best[1];
  const T sides = (c.order_traffic * f.order + c.slot_traffic * f.slot_bytes) * row_time +
                  c.slot_cost * f.slots + c.active_cost * f.active + c.expert_cost * f.experts +
                  c.empty_cost * f.empty;
  cost.time = c.intercept + f.passes * (products + sides);
  return cost;
}

SizeList GroupedGemmMoe::SizesOf(const FusedMoe& op) {
  return {{{{"tokens", Number(op.tokens)},
            {"hidden", Number(op.hidden)},
            {"width", op.WidthOnRank()},
            {"per_token", Number(op.per_token)},
            {"experts", Number(op.experts) / Number(op.ep)}}},
          5};
}

std::string_view GroupedGemmMoe::RegimeOf(const FusedMoe& op) {
  if (op.tokens <= 16) return "tokens <= 16";
  if (op.tokens <= 256) return "tokens 17..256";
  return op.tokens <= 2048 ? "tokens 257..2048" : "tokens > 2048";
}

std::string_view GroupedGemmMoe::FamilyOf(const FusedMoe& /*op*/) {
  return "moe";
}

std::string GroupedGemmMoe::FormatOf(const FusedMoe& op) {
  const double bits = 8 * BytesOf(op.weights).value() * op.weight_overhead;
  const bool floats =
      op.weights == DType::kFp4 || op.weights == DType::kNvfp4 || op.weights == DType::kMxfp4;
  if (floats) {
    constexpr double kBetween = 4.375;  // nvfp4 has 4.5 bits with its scales, mxfp4 4.25
    if (BytesOf(op.input) < Bytes(1)) return bits > kBetween ? "nvfp4" : "mxfp4";
    const std::string stored = bits > kBetween ? "nvfp4" : "mxfp4";
    return (op.input == DType::kFp8 ? "w4a8 " : "w4a16 ") + stored;
  }
  if (op.weights == DType::kInt4) return "int4_wo";
  if (op.weights == DType::kInt8 && BytesOf(op.input) > Bytes(1)) return "int8_wo";
  if (op.weights == DType::kFp8 && op.scale_block > 0) return "fp8_block";
  return std::string(NameOf(op.math));
}

ROOFCAST_INSTANTIATE_FORM(GroupedGemmMoe);

}  // namespace roofcast
