// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/routing.h"

#include <algorithm>
#include <cmath>

#include "core/scalar.h"
#include "models/kernels/power_law.h"

namespace roofcast {
namespace {

// Of ceil(n / b) for n of B(trials, p), for every tile b.
class BinomialTiles {
 public:
  BinomialTiles(double trials, double p) : trials_(trials), p_(p) {
    mean_ = trials * p;
    deviation_ = std::sqrt(mean_ * (1 - p));
  }

  // P(n > 0).
  double Active() const { return p_ >= 1 ? 1.0 : -std::expm1(trials_ * std::log1p(-p_)); }

  std::array<double, kTileRows.size()> Tiles() const {
    std::array<double, kTileRows.size()> tiles{};
    std::size_t summed = kTileRows.size();
    for (std::size_t i = 0; i < kTileRows.size(); ++i) {
      const double b = Number(kTileRows[i]);
      // n mod b is uniform where n spreads over more than a tile: the first Fourier term of its law
      // is exp(-2 (pi deviation / b)^2), 3e-9 at deviation = b.
      if (deviation_ < b) {
        summed = i;
        break;
      }
      tiles[i] = (mean_ + (b - 1) / 2) / b;
    }
    if (summed < kTileRows.size()) Sum(summed, tiles);
    return tiles;
  }

 private:
  // The rest one by one, outwards from the mode: beyond 9 deviations nothing is left.
  void Sum(std::size_t first, std::array<double, kTileRows.size()>& tiles) const {
    if (p_ >= 1) {
      for (std::size_t i = first; i < tiles.size(); ++i) {
        tiles[i] = std::ceil(trials_ / Number(kTileRows[i]));
      }
      return;
    }
    const double mode = std::min(trials_, std::floor((trials_ + 1) * p_));
    const double odds = p_ / (1 - p_);
    double total = 0;
    const auto add = [&](double n, double weight) {
      total += weight;
      const auto rows = static_cast<std::int64_t>(n);
      for (std::size_t i = first; i < tiles.size(); ++i) {
        tiles[i] += weight * Number((rows + kTileRows[i] - 1) / kTileRows[i]);
      }
    };
    add(mode, 1);
    constexpr double kNothing = 1e-14;
    double weight = 1;
    for (double n = mode; n < trials_; ++n) {
      weight *= odds * (trials_ - n) / (n + 1);
      if (weight < kNothing) break;
      add(n + 1, weight);
    }
    weight = 1;
    for (double n = mode; n > 0; --n) {
      weight *= n / ((trials_ - n + 1) * odds);
      if (weight < kNothing) break;
      add(n - 1, weight);
    }
    for (std::size_t i = first; i < tiles.size(); ++i) tiles[i] /= total;
  }

  double trials_ = 0;
  double p_ = 0;
  double mean_ = 0;
  double deviation_ = 0;
};

// Share of tokens with an expert on the rank: 1 - C(E - E/ep, k) / C(E, k).
double ShareTouching(std::int64_t per_token, std::int64_t experts, std::int64_t ep) {
  const std::int64_t elsewhere = experts - experts / ep;
  double missing = 1;
  for (std::int64_t i = 0; i < per_token && missing > 0; ++i) {
    missing *= std::max(0.0, Number(elsewhere - i)) / Number(experts - i);
  }
  return 1 - missing;
}

RoutedLoad Uniform(std::int64_t tokens,
                   std::int64_t per_token,
                   std::int64_t experts,
                   std::int64_t ep) {
  const double local = Number(experts) / Number(ep);
  const BinomialTiles one(Number(tokens), Number(per_token) / Number(experts));
  RoutedLoad load;
  load.rows = Number(tokens) * Number(per_token) / Number(ep);
  load.active = local * one.Active();
  load.touching = Number(tokens) * ShareTouching(per_token, experts, ep);
  const auto tiles = one.Tiles();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    load.tiles[i] = local * tiles[i];
    load.all_tiles[i] = Number(experts) * tiles[i];
  }
  return load;
}

std::vector<std::int64_t> BalancedCounts(std::int64_t tokens,
                                         std::int64_t per_token,
                                         std::int64_t experts) {
  const std::int64_t stride = (experts + per_token - 1) / per_token;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(experts));
  const auto count_of = [&](std::int64_t expert) -> std::int64_t& {
    return counts[static_cast<std::size_t>(expert % experts)];
  };
  if (tokens < stride) {
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t i = 0; i < per_token; ++i) ++count_of(token * stride / tokens + i * stride);
    }
    return counts;
  }
  // Whole rounds over the experts, then a run from each start: as differences along the circle.
  std::vector<std::int64_t> steps(static_cast<std::size_t>(2 * experts + 1));
  for (std::int64_t i = 0; i < per_token; ++i) {
    const std::int64_t start = i * stride % experts;
    ++steps[static_cast<std::size_t>(start)];
    --steps[static_cast<std::size_t>(start + tokens % experts)];
  }
  std::int64_t running = 0;
  for (std::int64_t expert = 0; expert < 2 * experts; ++expert) {
    running += steps[static_cast<std::size_t>(expert)];
    count_of(expert) += running;
  }
  for (std::int64_t& count : counts) count += per_token * (tokens / experts);
  return counts;
}

}  // namespace

void AddCounts(const std::vector<std::int64_t>& counts,
               std::int64_t tokens,
               std::int64_t per_token,
               std::int64_t ep,
               RoutedLoad& load) {
  const std::size_t local = counts.size() / static_cast<std::size_t>(ep);
  double rows = 0;
  for (std::size_t expert = 0; expert < counts.size(); ++expert) {
    const std::int64_t count = counts[expert];
    const bool mine = expert < local;
    if (mine) rows += Number(count);
    if (mine && count > 0) ++load.active;
    for (std::size_t i = 0; i < kTileRows.size(); ++i) {
      const double tiles = Number((count + kTileRows[i] - 1) / kTileRows[i]);
      load.all_tiles[i] += tiles;
      if (mine) load.tiles[i] += tiles;
    }
  }
  load.rows += rows;
  // As if each of a token's choices fell on the rank with the rank's share of all rows.
  const double share = rows / (Number(tokens) * Number(per_token));
  load.touching += Number(tokens) * (1 - std::pow(1 - share, Number(per_token)));
}

RoutedLoad RouteTokens(std::int64_t tokens,
                       std::int64_t per_token,
                       std::int64_t experts,
                       std::int64_t ep,
                       const Routing& routing) {
  if (routing.kind == RoutingKind::kUniform) return Uniform(tokens, per_token, experts, ep);
  if (routing.kind == RoutingKind::kPowerLaw) {
    return PowerLawLoad(tokens, per_token, experts, ep, routing);
  }
  RoutedLoad load;
  AddCounts(BalancedCounts(tokens, per_token, experts), tokens, per_token, ep, load);
  return load;
}

}  // namespace roofcast
