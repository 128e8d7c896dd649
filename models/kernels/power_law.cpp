// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/power_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "core/scalar.h"

namespace roofcast {
namespace {

using Counts = std::vector<std::int64_t>;

// Adds `rows` one by one to the least of `counts` that is below `most`; what doesn't fit comes
// back.
std::int64_t FillLeast(std::span<std::int64_t> counts, std::int64_t rows, std::int64_t most) {
  std::vector<std::int64_t*> order;
  order.reserve(counts.size());
  for (std::int64_t& count : counts) order.push_back(&count);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return *a < *b; });
  // Raise the lowest `width` together to the next one's level, as water fills a vessel.
  std::int64_t level = *order.front();
  std::size_t width = 0;
  while (rows > 0 && level < most) {
    while (width < order.size() && *order[width] <= level) ++width;
    const std::int64_t next = width < order.size() ? std::min(most, *order[width]) : most;
    const auto lowest = static_cast<std::int64_t>(width);
    const std::int64_t rise = std::min(next - level, rows / lowest);
    if (rise == 0) break;
    level += rise;
    rows -= rise * lowest;
  }
  for (std::size_t i = 0; i < width; ++i) {
    *order[i] = level;
    if (rows > 0 && level < most) ++*order[i], --rows;
  }
  return rows;
}

// Takes `rows` one by one from the largest of `counts`; what isn't there comes back.
std::int64_t DrainMost(std::span<std::int64_t> counts, std::int64_t rows) {
  for (std::int64_t& count : counts) count = -count;
  rows = FillLeast(counts, rows, 0);
  for (std::int64_t& count : counts) count = -count;
  return rows;
}

// Gives each rank its part of `rows` in turns of one, as long as it has room.
template <class Change>
void ByRankInTurn(Counts& counts, std::int64_t ep, std::int64_t rows, Change change) {
  const std::size_t local = counts.size() / static_cast<std::size_t>(ep);
  while (rows > 0) {
    const std::int64_t before = rows;
    for (std::int64_t rank = 0; rank < ep; ++rank) {
      const std::int64_t part = before / ep + (rank < before % ep ? 1 : 0);
      if (part == 0) break;
      const std::span<std::int64_t> mine(counts.data() + static_cast<std::size_t>(rank) * local,
                                         local);
      rows -= part - change(mine, part);
    }
    if (rows == before) return;  // nobody has room
  }
}

void SpreadEvenly(Counts& counts, std::int64_t tokens, std::int64_t wanted, std::int64_t ep) {
  const auto fill = [&](std::span<std::int64_t> mine, std::int64_t rows) {
    return FillLeast(mine, rows, tokens);
  };
  std::int64_t excess = 0;
  for (std::int64_t& count : counts) {
    excess += std::max<std::int64_t>(0, count - tokens);
    count = std::min(count, tokens);
  }
  ByRankInTurn(counts, ep, excess, fill);
  const std::int64_t missing =
      wanted - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (missing > 0) ByRankInTurn(counts, ep, missing, fill);
  if (missing < 0) ByRankInTurn(counts, ep, -missing, DrainMost);
}

void GiveToFullest(Counts& counts, std::int64_t wanted) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
  const std::int64_t missing =
      wanted - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::size_t size = counts.size();
  for (std::int64_t i = 0; i < missing; ++i) ++counts[order[static_cast<std::size_t>(i) % size]];
  for (std::int64_t i = 0; i < -missing; ++i) {
    std::int64_t& least = counts[order[size - 1 - static_cast<std::size_t>(i) % size]];
    --(least > 0 ? least : *std::max_element(counts.begin(), counts.end()));
  }
}

void PutFullestRankFirst(Counts& counts, std::int64_t ep) {
  const auto local = static_cast<std::ptrdiff_t>(counts.size()) / ep;
  std::int64_t most = -1;
  std::ptrdiff_t fullest = 0;
  for (std::ptrdiff_t rank = 0; rank < ep; ++rank) {
    const auto begin = counts.begin() + rank * local;
    const std::int64_t rows = std::accumulate(begin, begin + local, std::int64_t{0});
    if (rows > most) most = rows, fullest = rank;
  }
  const auto begin = counts.begin() + fullest * local;
  if (fullest > 0) std::swap_ranges(begin, begin + local, counts.begin());
}

// A fixed stream of numbers in [0, 1), the same on every machine [steele2014splitmix].
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}
  double Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    constexpr double kUnit = 0x1p-53;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * kUnit;
  }

 private:
  std::uint64_t state_;
};

RoutedLoad MeanOfDraws(std::int64_t tokens,
                       std::int64_t per_token,
                       std::int64_t experts,
                       std::int64_t ep,
                       const Routing& routing) {
  // The draws of an expert fall one into each of kPowerLawDraws equal parts of [0, 1), in an order
  // of its own (Latin hypercube [mckay1979]): the mean has a fraction of the noise of plain draws.
  Stream stream(1);
  const auto size = static_cast<std::size_t>(experts);
  std::vector<std::vector<double>> uniform(kPowerLawDraws, std::vector<double>(size));
  std::array<int, kPowerLawDraws> part{};
  for (std::size_t expert = 0; expert < size; ++expert) {
    std::iota(part.begin(), part.end(), 0);
    for (std::size_t draw = 0; draw < part.size(); ++draw) {
      const auto other =
          static_cast<std::size_t>(stream.Next() * static_cast<double>(part.size() - draw));
      std::swap(part[draw], part[draw + other]);
      uniform[draw][expert] = (part[draw] + stream.Next()) / kPowerLawDraws;
    }
  }
  RoutedLoad load;
  for (const std::vector<double>& quantiles : uniform) {
    AddCounts(
        PowerLawCounts(tokens, per_token, ep, routing, quantiles), tokens, per_token, ep, load);
  }
  const auto scale = [](double& value) { value /= kPowerLawDraws; };
  for (double* value : {&load.rows, &load.active, &load.touching}) scale(*value);
  for (double& value : load.tiles) scale(value);
  for (double& value : load.all_tiles) scale(value);
  return load;
}

}  // namespace

Counts PowerLawCounts(std::int64_t tokens,
                      std::int64_t per_token,
                      std::int64_t ep,
                      const Routing& routing,
                      const std::vector<double>& uniform) {
  const std::int64_t wanted = tokens * per_token;
  const bool many = wanted > static_cast<std::int64_t>(uniform.size());
  const double low = many ? 1 : 0.01;
  const double high = many ? 0.8 * Number(tokens) : 2;
  const double power = 1 - routing.alpha;
  const double at_low = std::pow(low, power);
  const double at_high = std::pow(high, power);
  std::vector<double> loads;
  loads.reserve(uniform.size());
  for (const double u : uniform) {
    loads.push_back(std::pow((at_high - at_low) * u + at_low, 1 / power));
  }
  const double scale = Number(wanted) / std::accumulate(loads.begin(), loads.end(), 0.0);
  Counts counts;
  counts.reserve(uniform.size());
  for (const double load : loads) {
    counts.push_back(static_cast<std::int64_t>(std::nearbyint(load * scale)));
  }
  if (routing.remainder_to_fullest) {
    GiveToFullest(counts, wanted);
  } else {
    SpreadEvenly(counts, tokens, wanted, ep);
  }
  PutFullestRankFirst(counts, ep);
  return counts;
}

RoutedLoad PowerLawLoad(std::int64_t tokens,
                        std::int64_t per_token,
                        std::int64_t experts,
                        std::int64_t ep,
                        const Routing& routing) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, bool>;
  constexpr std::size_t kMost = 1 << 14U;  // a few megabytes
  thread_local std::map<Key, RoutedLoad> known;
  const Key key{tokens, per_token, experts, ep, routing.alpha, routing.remainder_to_fullest};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known[key] = MeanOfDraws(tokens, per_token, experts, ep, routing);
}

}  // namespace roofcast
