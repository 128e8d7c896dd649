// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "models/kernels/tiled_gemm.h"

// The terms of TiledGemm, for double and Jet alike; names as in its equation. Only its .cpp files
// include this.
namespace roofcast::internal {

inline constexpr double kReferenceClock = 1700;  // cycles a us at which fixed costs are given
inline constexpr double kWindow = 0.4;           // candidates so much slower have no weight
inline constexpr double kPerEpilogue = 1.0 / 16384;

inline double Ceil(double x) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole < x ? whole + 1 : whole;
}

// What all candidates of a product share.
template <class T>
struct Shared {
  T intercept;
  T dram;
  T ceiling;     // e_c with its droop
  T cache_rate;  // l: bytes a us of one unit
  T floor;
  T epilogue;
  T reduction;
  T part;  // traffic of one more part of k
};

template <class T>
T Held(const T& fullness, const T& edge) {
  using std::pow;
  return 1.0 / (1.0 + pow(fullness, edge));
}

template <class T>
Shared<T> ShareOf(const TiledGemm::Features& f, const TiledGemm::Coefficients<T>& c) {
  using std::exp;
  const double cycles = kReferenceClock / f.rates.clock;
  const double all = f.weights + f.others;
  T hit = T(0.0);
  if (f.rates.cache > 0) {
    const T capacity = c.cache_share * f.rates.cache;
    hit = f.others * Held<T>(all / capacity, c.cache_edge);
    if (f.copies > 0) {
      hit += f.weights * Held<T>((f.copies * f.weights + f.others) / capacity, c.cache_edge);
    }
  }
  Shared<T> s;
  s.intercept = c.intercept * cycles;
  s.dram = (all - hit) / (c.memory_efficiency * f.rates.bandwidth) +
           hit / (c.cache_rate * (f.rates.units * f.rates.clock));
  s.ceiling = c.compute_efficiency * exp(-c.droop * f.decades);
  s.cache_rate = c.cache_to_unit * f.rates.clock;
  s.floor = c.step_floor * cycles;
  s.epilogue = c.epilogue * cycles;
  s.reduction = c.reduction * cycles;
  s.part = (8 * f.output * f.unit_share) / s.cache_rate;
  return s;
}

template <class T>
T QuantisingOf(const TiledGemm::Features& f, const TiledGemm::Coefficients<T>& c) {
  if (!(f.quantising > 0)) return T(0.0);
  return c.quantise_launch * (kReferenceClock / f.rates.clock) +
         c.quantise_traffic * f.quantising / (c.memory_efficiency * f.rates.bandwidth);
}

// Time of one step of a tile's k loop on its units.
template <class T>
T StepOf(const TiledGemm::Features& f, const Shared<T>& s, const T& feeding, const GemmTile& tile) {
  using std::sqrt;
  const double area = Number(tile.rows * tile.columns);
  const double shape = area / Number(tile.rows + tile.columns);
  const double peak_time = 2 * area * f.step / (Number(tile.units) * f.unit_peak);
  const T work = (peak_time / shape) * (shape + feeding) / s.ceiling;
  const T work2 = work * work;
  const T floor2 = s.floor * s.floor;
  return sqrt(sqrt(work2 * work2 + floor2 * floor2));
}

struct Candidate {
  const GemmTile* tile;
  double split;
  double blocks;  // in all
  double steps;   // of a block
  double time;    // with the launch, without quantising
};

template <class T>
struct Terms {
  T compute;
  T cache;
  T extra;  // of splitting k
};

template <class T>
Terms<T> TermsOf(const TiledGemm::Features& f,
                 const Shared<T>& s,
                 const T& wave_rounding,
                 const Candidate& j,
                 const T& step) {
  const GemmTile& tile = *j.tile;
  const double units = Number(tile.units);
  const double waves = j.blocks * units * f.unit_share;
  const double least = std::max(waves, 1.0);
  const double area = Number(tile.rows * tile.columns) * kPerEpilogue / units;
  const double line = Number(tile.rows) * f.input_bytes + Number(tile.columns) * f.weight_bytes;
  const double loads = j.blocks * j.steps * f.step * line;
  Terms<T> t;
  t.compute =
      (wave_rounding * (Ceil(waves) - least) + least) * (step * j.steps + s.epilogue * area);
  t.cache = (loads * f.unit_share / std::min(1.0, waves)) / s.cache_rate;
  t.extra = T(0.0);
  if (j.split > 1) t.extra = s.reduction + s.part * j.split;
  return t;
}

}  // namespace roofcast::internal
