// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/routing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "core/scalar.h"
#include "models/kernels/power_law.h"

namespace roofcast {
namespace {

using Counts = std::vector<std::int64_t>;

// The load of rank 0 by counting, with the plain formula of a ceiling.
RoutedLoad LoadOf(const Counts& counts, std::int64_t ep) {
  RoutedLoad load;
  const std::size_t local = counts.size() / static_cast<std::size_t>(ep);
  for (std::size_t expert = 0; expert < counts.size(); ++expert) {
    const double rows = Number(counts[expert]);
    for (std::size_t i = 0; i < kTileRows.size(); ++i) {
      load.all_tiles[i] += std::ceil(rows / Number(kTileRows[i]));
      if (expert < local) load.tiles[i] += std::ceil(rows / Number(kTileRows[i]));
    }
    if (expert >= local) continue;
    load.rows += rows;
    load.active += rows > 0 ? 1 : 0;
  }
  return load;
}

void CheckSame(const RoutedLoad& load, const RoutedLoad& expected, double tolerance) {
  const auto near = [&](double value) { return doctest::Approx(value).epsilon(tolerance); };
  CHECK(load.rows == near(expected.rows));
  CHECK(load.active == near(expected.active));
  for (std::size_t i = 0; i < kTileRows.size(); ++i) {
    CAPTURE(kTileRows[i]);
    CHECK(load.tiles[i] == near(expected.tiles[i]));
    CHECK(load.all_tiles[i] == near(expected.all_tiles[i]));
  }
}

// All ways in which `tokens` tokens can each pick 2 of 4 experts, equally likely.
RoutedLoad ByEnumeration(int tokens, std::int64_t ep, double& touching) {
  const std::vector<std::pair<int, int>> pairs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  RoutedLoad mean;
  double ways = 0;
  touching = 0;
  std::vector<std::size_t> picks(static_cast<std::size_t>(tokens), 0);
  const int local = static_cast<int>(4 / ep);
  while (true) {
    Counts counts(4);
    for (const std::size_t pick : picks) {
      ++counts[static_cast<std::size_t>(pairs[pick].first)];
      ++counts[static_cast<std::size_t>(pairs[pick].second)];
      touching += pairs[pick].first < local ? 1 : 0;
    }
    const RoutedLoad load = LoadOf(counts, ep);
    ++ways;
    mean.rows += load.rows;
    mean.active += load.active;
    for (std::size_t i = 0; i < kTileRows.size(); ++i) {
      mean.tiles[i] += load.tiles[i];
      mean.all_tiles[i] += load.all_tiles[i];
    }
    auto digit = picks.begin();
    while (digit != picks.end() && ++*digit == pairs.size()) *digit++ = 0;
    if (digit == picks.end()) break;
  }
  mean.rows /= ways;
  mean.active /= ways;
  touching /= ways;
  for (double& value : mean.tiles) value /= ways;
  for (double& value : mean.all_tiles) value /= ways;
  return mean;
}

// The public generator of power-law loads, step by step as it is written there.
Counts ByTheGenerator(std::int64_t tokens,
                      std::int64_t per_token,
                      std::int64_t ep,
                      double alpha,
                      const std::vector<double>& uniform) {
  const auto experts = static_cast<std::int64_t>(uniform.size());
  const bool many = tokens * per_token > experts;
  const double low = many ? 1 : 0.01;
  const double high = many ? Number(tokens) * 0.8 : 2;
  std::vector<double> loads;
  for (const double u : uniform) {
    loads.push_back(std::pow(
        (std::pow(high, 1 - alpha) - std::pow(low, 1 - alpha)) * u + std::pow(low, 1 - alpha),
        1 / (1 - alpha)));
  }
  const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  Counts counts;
  for (const double load : loads) {
    counts.push_back(std::llrint(load / sum * Number(tokens * per_token)));
  }
  const std::int64_t local = experts / ep;
  const auto adjust = [&](std::int64_t remaining, std::int64_t step) {
    while (remaining > 0) {
      for (std::int64_t rank = 0; rank < ep && remaining > 0; ++rank) {
        auto best = counts.end();
        for (auto one = counts.begin() + rank * local; one != counts.begin() + (rank + 1) * local;
             ++one) {
          if (step > 0 ? *one >= tokens : *one <= 0) continue;
          if (best == counts.end() || (step > 0 ? *one < *best : *one > *best)) best = one;
        }
        if (best == counts.end()) continue;
        *best += step;
        --remaining;
      }
    }
  };
  std::int64_t overflow = 0;
  for (std::int64_t& count : counts) {
    overflow += std::max<std::int64_t>(0, count - tokens);
    count = std::min(count, tokens);
  }
  adjust(overflow, 1);
  const std::int64_t delta =
      tokens * per_token - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  adjust(std::abs(delta), delta > 0 ? 1 : -1);
  std::int64_t fullest = 0;
  std::int64_t most = -1;
  for (std::int64_t rank = 0; rank < ep; ++rank) {
    const auto begin = counts.begin() + rank * local;
    const std::int64_t rows = std::accumulate(begin, begin + local, std::int64_t{0});
    if (rows > most) most = rows, fullest = rank;
  }
  std::rotate(
      counts.begin(), counts.begin() + fullest * local, counts.begin() + (fullest + 1) * local);
  return counts;
}

}  // namespace

TEST_CASE("random routing is the mean over all ways to pick, exactly") {
  for (const std::int64_t ep : {1, 2, 4}) {
    for (int tokens = 1; tokens <= 6; ++tokens) {
      CAPTURE(ep);
      CAPTURE(tokens);
      double touching = 0;
      const RoutedLoad expected = ByEnumeration(tokens, ep, touching);
      const RoutedLoad load = RouteTokens(tokens, 2, 4, ep, {});
      CheckSame(load, expected, 1e-12);
      CHECK(load.touching == doctest::Approx(touching).epsilon(1e-12));
    }
  }
}

TEST_CASE("random routing is the mean of simulated routings, for every tile") {
  std::mt19937_64 random(7);
  struct Case {
    std::int64_t tokens, per_token, experts, ep;
  };
  // The last two have experts whose rows spread over more than the smaller tiles.
  for (const Case& c : {Case{30, 4, 32, 4}, Case{700, 2, 16, 2}, Case{3000, 6, 24, 8}}) {
    CAPTURE(c.tokens);
    RoutedLoad mean;
    constexpr int kDraws = 400;
    Counts experts(static_cast<std::size_t>(c.experts));
    for (int draw = 0; draw < kDraws; ++draw) {
      Counts counts(experts.size());
      std::iota(experts.begin(), experts.end(), 0);
      for (std::int64_t token = 0; token < c.tokens; ++token) {
        for (std::int64_t i = 0; i < c.per_token; ++i) {
          std::uniform_int_distribution<std::int64_t> pick(i, c.experts - 1);
          std::swap(experts[static_cast<std::size_t>(i)],
                    experts[static_cast<std::size_t>(pick(random))]);
          ++counts[static_cast<std::size_t>(experts[static_cast<std::size_t>(i)])];
        }
      }
      const RoutedLoad load = LoadOf(counts, c.ep);
      mean.rows += load.rows / kDraws;
      mean.active += load.active / kDraws;
      for (std::size_t i = 0; i < kTileRows.size(); ++i) {
        mean.tiles[i] += load.tiles[i] / kDraws;
        mean.all_tiles[i] += load.all_tiles[i] / kDraws;
      }
    }
    CheckSame(RouteTokens(c.tokens, c.per_token, c.experts, c.ep, {}), mean, 0.02);
  }
}

TEST_CASE("when every token goes to every expert nothing is random") {
  const RoutedLoad load = RouteTokens(100, 8, 8, 2, {});
  CHECK(load.rows == 400);
  CHECK(load.active == 4);
  CHECK(load.touching == 100);
  CHECK(load.tiles[0] == 4 * 13);  // of 8 rows
  CHECK(load.tiles[4] == 4 * 2);   // of 64
}

TEST_CASE("tiles in closed form join those that are summed one by one") {
  // Where the spread of an expert's rows passes a tile of 8, at sqrt(tokens/4) = 8.
  const auto tiles_of = [](std::int64_t tokens) {
    return RouteTokens(tokens, 1, 2, 1, {}).tiles[0];
  };
  const double below = tiles_of(255);
  const double above = tiles_of(257);
  CHECK((above - below) * 8 == doctest::Approx(2).epsilon(1e-5));
  CHECK(above == doctest::Approx(2 * (257 / 2.0 + 3.5) / 8).epsilon(1e-8));
}

TEST_CASE("balanced routing deals out as the public generator does") {
  struct Case {
    std::int64_t tokens, per_token, experts, ep;
  };
  for (const Case& c : {Case{1, 8, 256, 4},
                        Case{7, 8, 256, 8},
                        Case{32, 8, 256, 1},
                        Case{33, 10, 512, 2},
                        Case{1000, 10, 512, 16},
                        Case{777, 6, 160, 8},
                        Case{5, 1, 16, 2},
                        Case{4096, 22, 512, 4}}) {
    CAPTURE(c.tokens);
    CAPTURE(c.experts);
    const std::int64_t stride = (c.experts + c.per_token - 1) / c.per_token;
    Counts counts(static_cast<std::size_t>(c.experts));
    for (std::int64_t token = 0; token < c.tokens; ++token) {
      for (std::int64_t i = 0; i < c.per_token; ++i) {
        const double start =
            c.tokens >= stride ? Number(token) : Number(token) * Number(stride) / Number(c.tokens);
        const auto expert = static_cast<std::int64_t>(start + Number(i * stride)) % c.experts;
        ++counts[static_cast<std::size_t>(expert)];
      }
    }
    CheckSame(RouteTokens(c.tokens, c.per_token, c.experts, c.ep, {.kind = RoutingKind::kBalanced}),
              LoadOf(counts, c.ep),
              1e-12);
  }
}

TEST_CASE("power-law loads are those of the public generator, step by step") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  struct Case {
    std::int64_t tokens, per_token, experts, ep;
  };
  for (const Case& c : {Case{1, 8, 64, 8},
                        Case{4, 8, 256, 8},
                        Case{64, 8, 64, 4},
                        Case{64, 6, 8, 2},
                        Case{300, 2, 8, 8},
                        Case{1000, 10, 128, 1},
                        Case{17, 1, 16, 4}}) {
    for (const double alpha : {1.01, 1.2, 2.0}) {
      CAPTURE(c.tokens);
      CAPTURE(alpha);
      std::vector<double> uniform(static_cast<std::size_t>(c.experts));
      for (double& value : uniform) value = unit(random);
      Counts expected = ByTheGenerator(c.tokens, c.per_token, c.ep, alpha, uniform);
      Counts counts = PowerLawCounts(
          c.tokens, c.per_token, c.ep, {.kind = RoutingKind::kPowerLaw, .alpha = alpha}, uniform);
      // The order within a rank, and of the ranks behind the first, means nothing.
      const auto local = static_cast<std::ptrdiff_t>(c.experts / c.ep);
      for (Counts* some : {&expected, &counts}) {
        std::sort(some->begin(), some->begin() + local);
        std::sort(some->begin() + local, some->end());
      }
      CHECK(counts == expected);
    }
  }
}

TEST_CASE("older collections put the rows of a few tokens on one rank, later ones on all") {
  Routing older{.kind = RoutingKind::kPowerLaw, .alpha = 1.2, .remainder_to_fullest = true};
  Routing later = older;
  later.remainder_to_fullest = false;
  CHECK(RouteTokens(1, 8, 256, 8, older).rows == doctest::Approx(8));
  CHECK(RouteTokens(1, 8, 256, 8, later).rows < 3);
}

TEST_CASE("a power law keeps all rows, loads rank 0 most, and answers alike when asked again") {
  const Routing routing{.kind = RoutingKind::kPowerLaw, .alpha = 1.2};
  for (const std::int64_t tokens : {1, 16, 200, 4096}) {
    CAPTURE(tokens);
    CHECK(RouteTokens(tokens, 8, 128, 1, routing).rows == doctest::Approx(8 * Number(tokens)));
    const RoutedLoad load = RouteTokens(tokens, 8, 128, 8, routing);
    CHECK(load.rows >= Number(tokens));
    CHECK(load.active <= 16);
    CHECK(load.touching <= Number(tokens));
    CheckSame(RouteTokens(tokens, 8, 128, 8, routing), load, 1e-15);
  }
  // More skew, more on the fullest rank.
  const Routing steeper{.kind = RoutingKind::kPowerLaw, .alpha = 3};
  CHECK(RouteTokens(4096, 8, 128, 8, steeper).active <= 16);
}

}  // namespace roofcast
