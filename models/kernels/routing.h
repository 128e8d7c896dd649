// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace roofcast {

enum class RoutingKind : std::uint8_t {
  kUniform,   // each token picks its experts at random, all equally likely
  kBalanced,  // dealt out in turn: expert (token + i stride) mod experts, stride = ceil(experts/k)
  kPowerLaw,  // loads of the experts follow a truncated Pareto law, and rank 0 is the fullest
};

// How tokens choose experts. The last two are what public benchmarks measure with.
struct Routing {
  RoutingKind kind = RoutingKind::kUniform;
  double alpha = 0;  // of the power law; not 1
  // Collections before late 2025 gave the tokens that rounding left over to the fullest experts,
  // and among equally full ones to the first: few tokens all end on rank 0. Later ones give them to
  // the emptiest expert of each rank in turn.
  bool remainder_to_fullest = false;

  friend bool operator==(const Routing&, const Routing&) = default;
};

// Rows of a tile of the grouped product.
inline constexpr std::array<std::int64_t, 7> kTileRows = {8, 16, 32, 48, 64, 128, 256};

// What one rank of `ep` gets: expected values where the routing is random.
struct RoutedLoad {
  double rows = 0;                                   // tokens times their experts on this rank
  double active = 0;                                 // experts of the rank that get a row
  double touching = 0;                               // tokens with an expert on this rank
  std::array<double, kTileRows.size()> tiles{};      // sum over its experts of ceil(rows/tile)
  std::array<double, kTileRows.size()> all_tiles{};  // the same over the experts of every rank
};

// Uniform: the rows of an expert are binomial, B(tokens, k/experts), so
//   E sum ceil(n/b) = experts/ep sum_n P(n) ceil(n/b)
// exactly (for b well below the spread of n: mean/b + (b-1)/(2b), to 1e-8). Balanced: counted.
// Power law: the mean of kPowerLawDraws runs of the generator with fixed seeds, remembered.
// Source of the last two: [aiconfigurator-routing]. Range: 1 <= k <= experts, ep
// divides experts, tokens >= 1.
RoutedLoad RouteTokens(std::int64_t tokens,
                       std::int64_t per_token,
                       std::int64_t experts,
                       std::int64_t ep,
                       const Routing& routing);

}  // namespace roofcast
