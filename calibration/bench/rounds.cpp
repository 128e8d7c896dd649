// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace roofcast::bench {
namespace {

constexpr double kMostRuns = 100'000;

// How often a case fits into the least time that is worth reading the clock for.
std::int64_t RunsOf(const std::function<void()>& run, Seconds least) {
  run();
  const Stopwatch watch;
  run();
  const Seconds once = watch.Elapsed().wall;
  const double runs = std::ceil(least.value() / std::max(once.value(), 1e-9));
  return static_cast<std::int64_t>(std::clamp(runs, 1.0, kMostRuns));
}

Timing TimeOnce(const std::function<void()>& run, std::int64_t runs) {
  const Stopwatch watch;
  for (std::int64_t i = 0; i < runs; ++i) run();
  Timing timing = watch.Elapsed();
  timing.wall /= static_cast<double>(runs);
  timing.cpu /= static_cast<double>(runs);
  return timing;
}

}  // namespace

std::vector<Repeats> MeasureInRounds(const std::vector<std::function<void()>>& cases,
                                     int rounds,
                                     Seconds least,
                                     const Progress& progress) {
  const auto all = static_cast<std::int64_t>(cases.size()) * (rounds + 1);
  std::int64_t done = 0;
  std::vector<std::int64_t> runs;
  runs.reserve(cases.size());
  for (const auto& run : cases) {
    runs.push_back(RunsOf(run, least));
    progress(++done, all);
  }
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(20260101);
  std::vector<Repeats> repeats(cases.size());
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      repeats[i].timings.push_back(TimeOnce(cases[i], runs[i]));
      progress(++done, all);
    }
  }
  return repeats;
}

}  // namespace roofcast::bench
