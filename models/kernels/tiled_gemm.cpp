// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/tiled_gemm.h"

#include <ceres/jet.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "models/kernels/tiled_gemm_search.h"

namespace roofcast {
namespace internal {
namespace {

constexpr double kStep = 64;       // of k in the matrix units' kernels
constexpr double kVectorStep = 8;  // in SGEMM
constexpr double kFirstDroop = 1e10;

double ValueOf(double x) {
  return x;
}
template <int N>
double ValueOf(const ceres::Jet<double, N>& x) {
  return x.a;
}

// The same with its derivatives: by x (x / norm)^(p-1), by p norm sum_x (x / norm)^p log(x / norm)
// / p.
template <int N>
ceres::Jet<double, N> Combine(const ceres::Jet<double, N>& a,
                              const ceres::Jet<double, N>& b,
                              const ceres::Jet<double, N>& d,
                              const ceres::Jet<double, N>& p) {
  ceres::Jet<double, N> norm(internal::Combine(a.a, b.a, d.a, p.a));
  double by_p = 0;
  for (const auto* x : {&a, &b, &d}) {
    const double ratio = x->a / norm.a;
    if (!(ratio > 0)) continue;
    const double by_x = std::pow(ratio, p.a - 1);
    norm.v += by_x * x->v;
    by_p += by_x * ratio * std::log(ratio);
  }
  norm.v += (norm.a * by_p / p.a) * p.v;
  return norm;
}

// Mean of the candidates' times by their weights.
template <class T, class TimeAt>
T Mean(const Choices& choices, TimeAt time_at) {
  const T least = time_at(choices.list[static_cast<std::size_t>(choices.best)]);
  T sum = least;
  T weights = T(1.0);
  for (int i = 0; i < choices.count; ++i) {
    const Candidate& candidate = choices.list[static_cast<std::size_t>(i)];
    if (i == choices.best || !(candidate.time < ValueOf(least) * (1 + kWindow))) continue;
    const T time = time_at(candidate);
    const T left = 1.0 - (time / least - 1.0) / kWindow;
    const T weight = (left * left) * (left * left);
    sum += weight * time;
    weights += weight;
  }
  return sum / weights;
}

}  // namespace
}  // namespace internal

TiledGemm::Features TiledGemm::Prepare(const Gemm& op, const Device& device, const Kernel& kernel) {
  const GemmTraffic traffic = TrafficOf(op);
  Features f;
  f.m = op.m;
  f.n = op.n;
  f.k = Number(op.k);
  f.batch = Number(op.batch);
  f.input_bytes = BytesOf(op.input).value();
  f.weight_bytes = BytesOf(op.weights).value() * op.weight_overhead;
  f.weights = traffic.weights.value();
  f.others = (traffic.input + traffic.output).value();
  f.copies = Number(op.weight_copies);
  f.quantising = traffic.quantising.value();
  f.output = Number(op.batch) * Number(op.m) * Number(op.n);
  f.decades = std::max(0.0, std::log10(WorkOf(op).value() / internal::kFirstDroop));
  f.rates = DeviceRates::Of(device);
  f.unit_share = 1 / f.rates.units;
  f.unit_peak = RateOf(device, op.math) / f.rates.units;
  f.splits = kernel.splits;
  auto tiles = static_cast<GemmTiles>(kernel.tiles);
  if (tiles == GemmTiles::kOfArchitecture) tiles = TilesOf(device, op.math);
  f.tiles = TilesOf(tiles);
  f.step = tiles == GemmTiles::kVector ? internal::kVectorStep : internal::kStep;
  return f;
}

template <class T>
FormCost<T> TiledGemm::TimeOf(const Features& f, const Coefficients<T>& c) {
  using namespace internal;  // NOLINT: the terms of this form
  // Which candidates count is found with plain numbers; derivatives are worked out for these alone.
  std::array<double, kCoefficientCount<TiledGemm>> values;
  std::size_t at = 0;
  auto get = [&](std::string_view, auto member, auto&&...) { values[at++] = ValueOf(c.*member); };
  Coefficients<T>::Fields(get);
  const auto plain = FromArray<TiledGemm, double>(values.data());
  const Shared<T> s = ShareOf<T>(f, c);
  const Shared<double> plain_shared = {ValueOf(s.intercept),
                                       ValueOf(s.dram),
                                       ValueOf(s.ceiling),
                                       ValueOf(s.cache_rate),
                                       ValueOf(s.floor),
                                       ValueOf(s.epilogue),
                                       ValueOf(s.reduction),
                                       ValueOf(s.part)};
  Choices choices;
  FindChoices(f, plain_shared, plain, choices);

  const auto terms_at = [&](const Candidate& j) {
    return TermsOf<T>(f, s, c.wave_rounding, j, StepOf<T>(f, s, c.feeding, *j.tile));
  };
  const auto time_at = [&](const Candidate& j) -> T {
    if constexpr (std::is_same_v<T, double>) {
      return j.time;
    } else {
      const Terms<T> t = terms_at(j);
      return s.intercept + t.extra + Combine(t.compute, t.cache, s.dram, c.overlap);
    }
  };
  const T quantising = QuantisingOf<T>(f, c);
  FormCost<T> cost;
  cost.intercept = s.intercept + quantising;
  cost.compute = terms_at(choices.list[static_cast<std::size_t>(choices.best)]).compute;
  cost.memory = s.dram;
  cost.time = Mean<T>(choices, time_at) + quantising;
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
