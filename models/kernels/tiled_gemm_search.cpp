// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/tiled_gemm_search.h"

#include <limits>

namespace roofcast::internal {
namespace {

constexpr double kLeastPart = 128;  // of k
constexpr double kMostWaves = 4;    // of blocks when k is split
constexpr std::size_t kMostTiles = 32;
constexpr std::size_t kMostSplits = 12;

struct Option {
  const GemmTile* tile;
  double blocks;  // with k in one part
  double step;
  double bound;  // no split is faster
};

struct Part {
  Candidate candidate;
  Terms<double> terms;
  double bound;
};

class Search {
 public:
  Search(const TiledGemm::Features& f,
         const Shared<double>& s,
         const TiledGemm::Coefficients<double>& c,
         Choices& choices)
      : f_(f), s_(s), c_(c), choices_(choices) {}

  void Run() {
    choices_.count = 0;
    choices_.best = 0;
    std::array<Option, kMostTiles> options;
    options[0] = OptionOf(f_.tiles.front());  // where a library offers nothing
    std::size_t count = 0;
    std::size_t first = 0;
    for (const GemmTile& tile : f_.tiles) {
      if (!IsOffered(tile, f_.m, f_.n)) continue;
      options[count] = OptionOf(tile);
      if (options[count].bound < options[first].bound) first = count;
      ++count;
    }
    Try(options[first]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != first && options[i].bound < Limit()) Try(options[i]);
    }
  }

 private:
  double Limit() const { return best_ * (1 + kWindow); }

  Option OptionOf(const GemmTile& tile) const {
    Option option;
    option.tile = &tile;
    option.blocks = f_.batch * Ceil(Number(f_.m) / Number(tile.rows)) *
                    Ceil(Number(f_.n) / Number(tile.columns));
    option.step = StepOf<double>(f_, s_, c_.feeding, tile);
    // All units busy all the time, and all of them loading.
    const double compute =
        option.blocks * Number(tile.units) * f_.unit_share * option.step * (f_.k / f_.step);
    const double line = Number(tile.rows) * f_.input_bytes + Number(tile.columns) * f_.weight_bytes;
    const double cache = option.blocks * f_.k * line * f_.unit_share / s_.cache_rate;
    option.bound = s_.intercept + std::max(std::max(compute, cache), s_.dram);
    return option;
  }

  Part PartOf(const Option& option, double by) const {
    Part part;
    part.candidate = {option.tile, by, option.blocks * by, Ceil(f_.k / (f_.step * by)), 0};
    part.terms = TermsOf<double>(f_, s_, c_.wave_rounding, part.candidate, option.step);
    part.bound = s_.intercept + part.terms.extra +
                 std::max(std::max(part.terms.compute, part.terms.cache), s_.dram);
    return part;
  }

  // Adds the splits of a tile that lie within the window, the most promising first.
  void Try(const Option& option) {
    std::array<Part, kMostSplits> parts;
    parts[0] = PartOf(option, 1);
    std::size_t count = 1;
    std::size_t least = 0;
    for (const std::int64_t split : SplitsOfK().subspan(1, f_.splits ? kMostSplits - 1 : 0)) {
      const double by = Number(split);
      if (f_.k < kLeastPart * by || option.blocks * by > kMostWaves * f_.rates.units) break;
      // More parts cost more still.
      if (!(option.bound + s_.reduction + s_.part * by < Limit())) break;
      parts[count] = PartOf(option, by);
      if (parts[count].bound < parts[least].bound) least = count;
      ++count;
    }
    Add(parts[least]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != least) Add(parts[i]);
    }
  }

  void Add(Part& part) {
    if (!(part.bound < Limit())) return;
    Candidate& candidate = part.candidate;
    candidate.time = s_.intercept + part.terms.extra +
                     Combine(part.terms.compute, part.terms.cache, s_.dram, c_.overlap);
    if (!(candidate.time < Limit())) return;
    if (candidate.time < best_) {
      best_ = candidate.time;
      choices_.best = choices_.count;
    }
    choices_.list[static_cast<std::size_t>(choices_.count++)] = candidate;
  }

  const TiledGemm::Features& f_;
  const Shared<double>& s_;
  const TiledGemm::Coefficients<double>& c_;
  Choices& choices_;
  double best_ = std::numeric_limits<double>::max() / 2;
};

}  // namespace

double Combine(double a, double b, double d, double p) {
  const double high = std::max(a, std::max(b, d));
  const auto power = [&](double x) { return x == high ? 1.0 : std::pow(x / high, p); };
  return high * std::pow(power(a) + power(b) + power(d), 1 / p);
}

void FindChoices(const TiledGemm::Features& f,
                 const Shared<double>& s,
                 const TiledGemm::Coefficients<double>& c,
                 Choices& choices) {
  Search(f, s, c, choices).Run();
}

}  // namespace roofcast::internal
