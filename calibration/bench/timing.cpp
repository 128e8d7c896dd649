// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/timing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "core/error.h"

namespace roofcast::bench {
namespace {

// A GEMM on a quiet machine repeats within 3 to 9 %, its median case within 2 or 3 %; with another
// program on the same core, walls are 1.5 to 2.5 times the processor's time.
constexpr double kMostSpread = 0.06;
constexpr double kMostWorst = 0.25;
constexpr double kMostBusy = 1.1;
constexpr double kMostDrift = 0.1;

Seconds Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return Seconds(static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
}

// Between two ranks it is interpolated.
double Quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (rank - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::vector<double> Sorted(std::vector<double> values) {
  ROOFCAST_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> SecondsOf(const std::vector<Timing>& timings, int threads) {
  std::vector<double> seconds;
  seconds.reserve(timings.size());
  for (const Timing& timing : timings) seconds.push_back(Counted(timing, threads).value());
  return seconds;
}

double Ratio(const Timing& timing) {
  return timing.cpu.value() > 0 ? timing.wall / timing.cpu : 1;
}

// How much slower or faster each round was than the cases' medians, by its median case.
double DriftOf(const std::vector<Repeats>& cases, int threads) {
  std::vector<double> rounds;
  const std::size_t count = cases.front().timings.size();
  rounds.reserve(count);
  for (std::size_t round = 0; round < count; ++round) {
    std::vector<double> factors;
    factors.reserve(cases.size());
    for (const Repeats& one : cases) {
      factors.push_back(Counted(one.timings[round], threads) / one.Time(threads));
    }
    rounds.push_back(Median(std::move(factors)));
  }
  const auto [low, high] = std::minmax_element(rounds.begin(), rounds.end());
  return *high / *low - 1;
}

std::string Written(const char* format, double one, double other = 0) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, one, other);
  return text.data();
}

}  // namespace

Stopwatch::Stopwatch() : start_{Now(CLOCK_MONOTONIC), Now(CLOCK_THREAD_CPUTIME_ID)} {}

Timing Stopwatch::Elapsed() const {
  const Seconds cpu = Now(CLOCK_THREAD_CPUTIME_ID) - start_.cpu;
  return {Now(CLOCK_MONOTONIC) - start_.wall, cpu};
}

Seconds Counted(const Timing& timing, int threads) {
  return threads == 1 ? timing.cpu : timing.wall;
}

double Median(std::vector<double> values) {
  return Quantile(Sorted(std::move(values)), 0.5);
}

double SpreadOf(const std::vector<double>& values) {
  const std::vector<double> sorted = Sorted(values);
  return (Quantile(sorted, 0.75) - Quantile(sorted, 0.25)) / Quantile(sorted, 0.5);
}

Seconds Repeats::Time(int threads) const {
  return Seconds(Median(SecondsOf(timings, threads)));
}

double Repeats::Spread(int threads) const {
  return SpreadOf(SecondsOf(timings, threads));
}

double Repeats::Busy() const {
  std::vector<double> ratios;
  ratios.reserve(timings.size());
  for (const Timing& timing : timings) ratios.push_back(Ratio(timing));
  return Median(std::move(ratios));
}

bool Noise::IsQuiet() const {
  return spread <= kMostSpread && worst <= kMostWorst && busy <= kMostBusy && drift <= kMostDrift;
}

Noise NoiseOf(const std::vector<Repeats>& cases, int threads) {
  ROOFCAST_CHECK(!cases.empty());
  std::vector<double> spreads;
  std::vector<double> ratios;
  spreads.reserve(cases.size());
  ratios.reserve(cases.size());
  for (const Repeats& one : cases) {
    spreads.push_back(one.Spread(threads));
    ratios.push_back(one.Busy());
  }
  spreads = Sorted(std::move(spreads));
  Noise noise;
  noise.spread = Quantile(spreads, 0.5);
  noise.worst = Quantile(spreads, 0.9);
  noise.busy = Median(std::move(ratios));
  noise.drift = DriftOf(cases, threads);
  return noise;
}

std::string Describe(const Noise& noise) {
  std::string text = noise.IsQuiet() ? "The machine was quiet: " : "The machine was not quiet: ";
  text += Written("repeats differ by %.1f %% (a tenth of the cases by more than %.0f %%), ",
                  100 * noise.spread,
                  100 * noise.worst);
  text += Written("wall time is %.2f of processor time, rounds drift by %.0f %%.",
                  noise.busy,
                  100 * noise.drift);
  if (noise.IsQuiet()) return text + "\n";
  text += "\nThese figures are not to be trusted:\n";
  if (noise.busy > kMostBusy) {
    text += "- other programs wanted the same cores: close them, or use fewer --threads\n";
  }
  if (noise.drift > kMostDrift) {
    text +=
        "- the machine became faster or slower meanwhile: fix the clock (mains, governor "
        "'performance'), let it cool down; a virtual machine has neighbours\n";
  }
  if (noise.spread > kMostSpread || noise.worst > kMostWorst) {
    text += "- repeats disagree: raise --repeats, and measure when nothing else runs\n";
  }
  return text;
}

}  // namespace roofcast::bench
