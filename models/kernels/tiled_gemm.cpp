// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/tiled_gemm.h"

#include <ceres/jet.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace roofcast {
namespace {

using Features = TiledGemm::Features;
template <class T>
using Coefficients = TiledGemm::Coefficients<T>;

constexpr double kReferenceClock = 1700;
constexpr double kWindow = 0.4;
constexpr double kGap = 0.3;
constexpr int kMostCandidates = 400;

double Ceil(double x) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole < x ? whole + 1 : whole;
}

template <class T>
struct Shared {
  T dram;
  T fixed;
  T quant;
  T ceiling;
  T cache_rate;  // bytes a us of one unit
  T floor;
};

template <class T>
T Held(const T& ratio, const T& edge) {
  using std::pow;
  return 1.0 / (1.0 + pow(ratio, edge));
}

template <class T>
Shared<T> ShareOf(const Features& f, const Coefficients<T>& c) {
  using std::exp;
  const double cycles = kReferenceClock / f.clock;
  Shared<T> s;
  T hit = T(0.0);
  if (f.cache > 0) {
    const T capacity = c.cache_share * f.cache;
    hit = f.others * Held<T>(f.traffic / capacity, c.cache_edge);
    if (f.copies > 0) {
      hit += f.weights * Held<T>((f.copies * f.weights + f.others) / capacity, c.cache_edge);
    }
  }
  s.dram = (f.traffic - hit) / (c.memory_efficiency * f.bandwidth) +
           hit / (c.cache_rate * (f.units * f.clock));
  s.fixed = (c.intercept + kGap) * cycles;
  s.quant = T(0.0);
  if (f.quantising > 0) {
    s.quant = c.quantise_launch * cycles +
              c.quantise_traffic * f.quantising / (c.memory_efficiency * f.bandwidth);
  }
  s.ceiling = c.compute_efficiency * exp(-c.droop * f.decades);
  s.cache_rate = c.cache_to_unit * f.clock;
  s.floor = c.step_floor * cycles;
  return s;
}

template <class T>
T StepOf(const Features& f, const Shared<T>& s, const Coefficients<T>& c, const GemmTile& tile) {
  using std::sqrt;
  const double rows = Number(tile.rows);
  const double columns = Number(tile.columns);
  const double shape = rows * columns / (rows + columns);
  const double work = 2 * rows / Number(tile.units) * columns * f.step / f.unit_peak;
  const T ideal = work * (shape + c.feeding) / (shape * s.ceiling);
  const T i2 = ideal * ideal;
  const T f2 = s.floor * s.floor;
  return sqrt(sqrt(i2 * i2 + f2 * f2));
}

struct Candidate {
  const GemmTile* tile = nullptr;
  double split = 1;
  double blocks = 0;
  double steps = 0;
  double bound = 0;
};

template <class T>
struct Terms {
  T compute, cache, extra;
};

template <class T>
Terms<T> TermsOf(const Features& f,
                 const Shared<T>& s,
                 const Coefficients<T>& c,
                 const Candidate& j,
                 const T& step) {
  const double slots = f.units / Number(j.tile->units);
  const double busy = j.blocks / slots;
  const T waves = c.wave_rounding * Ceil(busy) + (1.0 - c.wave_rounding) * std::max(busy, 1.0);
  const double area = Number(j.tile->rows * j.tile->columns) / Number(j.tile->units) / 16384;
  Terms<T> t;
  const double cycles = kReferenceClock / f.clock;
  t.compute = waves * (step * j.steps + c.epilogue * (cycles * area));
  const double loads =
      j.blocks *
      (Number(j.tile->rows) * f.input_bytes + Number(j.tile->columns) * f.weight_bytes) * f.step *
      j.steps;
  t.cache = loads / (s.cache_rate * (f.units * std::min(1.0, busy)));
  t.extra = T(0.0);
  if (j.split > 1) {
    t.extra = c.reduction * cycles + 8 * j.split * f.m * f.n * f.batch / (s.cache_rate * f.units);
  }
  return t;
}

template <class T>
T Combined(const T& a, const T& b, const T& d, const T& p) {
  using std::pow;
  const T high = Max(a, Max(b, d));
  return high * pow(pow(a / high, p) + pow(b / high, p) + pow(d / high, p), 1.0 / p);
}

struct Candidates {
  std::array<Candidate, kMostCandidates> list;
  int count = 0;
};

bool Offered(double size, std::int64_t tile, double factor) {
  const double padded = std::max(16.0, Ceil(size / 16) * 16);
  return Number(tile) <= factor * padded;
}

void Enumerate(const Features& f, Candidates& out) {
  for (const GemmTile& tile : f.tiles) {
    if (!Offered(f.m, tile.rows, 2) || !Offered(f.n, tile.columns, 4)) continue;
    const double blocks =
        f.batch * Ceil(f.m / Number(tile.rows)) * Ceil(f.n / Number(tile.columns));
    for (const std::int64_t split : SplitsOfK()) {
      const double parts = Number(split);
      if (split > 1 && (!f.splits || f.k / parts < 128 || blocks * parts > 4 * f.units)) break;
      out.list[out.count++] = {
          &tile, parts, blocks * parts, Ceil(f.k / (f.step * parts)), 0};
    }
  }
}

}  // namespace

TiledGemm::Features TiledGemm::Prepare(const Gemm& op, const Device& device, const Kernel& kernel) {
  const DeviceRates rates = DeviceRates::Of(device);
  const GemmTraffic traffic = TrafficOf(op);
  Features f;
  f.m = Number(op.m);
  f.n = Number(op.n);
  f.k = Number(op.k);
  f.batch = Number(op.batch);
  f.input_bytes = BytesOf(op.input).value();
  f.weight_bytes = BytesOf(op.weights).value() * op.weight_overhead;
  f.weights = traffic.weights.value();
  f.others = (traffic.input + traffic.output).value();
  f.traffic = f.weights + f.others;
  f.copies = Number(op.weight_copies);
  f.quantising = traffic.quantising.value();
  f.decades = std::max(0.0, std::log10(WorkOf(op).value() / 1e10));
  f.units = rates.units;
  f.clock = rates.clock;
  f.bandwidth = rates.bandwidth;
  f.cache = rates.cache;
  f.unit_peak = RateOf(device, op.math) / rates.units;
  f.splits = kernel.splits;
  auto tiles = static_cast<GemmTiles>(kernel.tiles);
  if (tiles == GemmTiles::kOfArchitecture) tiles = TilesOf(device, op.math);
  f.tiles = TilesOf(tiles);
  if (tiles == GemmTiles::kVector) f.step = 8;
  return f;
}

template <class T>
FormCost<T> TiledGemm::TimeOf(const Features& f, const Coefficients<T>& c) {
  // values first
  std::array<double, kCoefficientCount<TiledGemm>> values;
  std::size_t at = 0;
  auto get = [&](std::string_view, auto member, auto&&...) {
    if constexpr (std::is_same_v<T, double>) {
      values[at++] = c.*member;
    } else {
      values[at++] = (c.*member).a;
    }
  };
  Coefficients<T>::Fields(get);
  const auto plain = FromArray<TiledGemm, double>(values.data());
  const Shared<double> ps = ShareOf<double>(f, plain);
  Candidates all;
  Enumerate(f, all);
  std::array<double, kMostCandidates> times;
  double best = 1e300;
  int which = 0;
  for (int i = 0; i < all.count; ++i) {
    const Candidate& j = all.list[i];
    const double step = StepOf<double>(f, ps, plain, *j.tile);
    const Terms<double> t = TermsOf<double>(f, ps, plain, j, step);
    const double bound = std::max(t.compute, std::max(t.cache, ps.dram)) + t.extra + ps.fixed;
    if (bound > best * (1 + kWindow)) {
      times[i] = 1e300;
      continue;
    }
    times[i] = ps.fixed + t.extra + Combined<double>(t.compute, t.cache, ps.dram, plain.overlap);
    if (times[i] < best) best = times[i], which = i;
  }
  const Shared<T> s = ShareOf<T>(f, c);
  const auto time = [&](const Candidate& j) -> T {
    const T step = StepOf<T>(f, s, c, *j.tile);
    const Terms<T> t = TermsOf<T>(f, s, c, j, step);
    return s.fixed + t.extra + Combined<T>(t.compute, t.cache, s.dram, c.overlap);
  };
  const T least = time(all.list[which]);
  T sum = T(0.0);
  T weights = T(0.0);
  for (int i = 0; i < all.count; ++i) {
    if (!(times[i] < best * (1 + kWindow))) continue;
    const T t = i == which ? least : time(all.list[i]);
    const T left = 1.0 - (t / least - 1.0) / kWindow;
    const T w = left * left * left * left;
    sum += w * t;
    weights += w;
  }
  FormCost<T> cost;
  const Terms<T> t = TermsOf<T>(f, s, c, all.list[which], StepOf<T>(f, s, c, *all.list[which].tile));
  cost.intercept = s.fixed + s.quant;
  cost.compute = t.compute;
  cost.memory = s.dram;
  cost.time = sum / weights + s.quant;
  return cost;
}

SizeList TiledGemm::SizesOf(const Gemm& op) {
  return {{{{"m", Number(op.m)}, {"n", Number(op.n)}, {"k", Number(op.k)}}}, 3};
}

std::string_view TiledGemm::RegimeOf(const Gemm& op) {
  if (op.m <= 16) return "m <= 16";
  if (op.m <= 256) return "m 17..256";
  return op.m <= 1024 ? "m 257..1024" : "m > 1024";
}

std::string_view TiledGemm::FamilyOf(const Gemm& /*op*/) {
  return "gemm";
}

std::string TiledGemm::FormatOf(const Gemm& op) {
  return roofcast::FormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(TiledGemm);

}  // namespace roofcast
