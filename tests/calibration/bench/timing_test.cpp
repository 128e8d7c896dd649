// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/timing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "calibration/bench/rounds.h"

namespace roofcast::bench {
namespace {

// Repeats whose processor time is as given, and whose wall time is `busy` times that.
Repeats Made(const std::vector<double>& seconds, double busy = 1) {
  Repeats repeats;
  for (const double value : seconds)
    repeats.timings.push_back({Seconds(value * busy), Seconds(value)});
  return repeats;
}

bool Says(const Noise& noise, const std::string& words) {
  return Describe(noise).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("The median is the middle value, or halfway between two") {
  CHECK(Median({3, 1, 2}) == 2);
  CHECK(Median({4, 1, 2, 3}) == 2.5);
  CHECK(Median({7}) == 7);
}

TEST_CASE("The spread is the distance of the quartiles over the median") {
  CHECK(SpreadOf({1, 2, 3, 4, 5}) == doctest::Approx(2.0 / 3));
  CHECK(SpreadOf({2, 2, 2, 2, 2}) == 0);
  // One timing that something else disturbed doesn't count.
  CHECK(SpreadOf({2, 2, 2, 2, 200}) == 0);
}

TEST_CASE("One thread counts its processor time, several the wall's") {
  const Repeats repeats = Made({1, 1, 1, 1, 1}, 3);
  CHECK(repeats.Time(1) == Seconds(1));
  CHECK(repeats.Time(2) == Seconds(3));
  CHECK(repeats.Busy() == doctest::Approx(3));
}

TEST_CASE("Steady repeats of an idle machine are quiet") {
  const Noise noise = NoiseOf({Made({1, 1.01, 1, 1.01, 1}), Made({5, 5, 5.1, 5, 5})}, 1);
  CHECK(noise.IsQuiet());
  CHECK(Says(noise, "was quiet"));
  CHECK_FALSE(Says(noise, "not to be trusted"));
}

TEST_CASE("Other programs on the cores are told by wall over processor time") {
  const Noise noise = NoiseOf({Made({1, 1, 1, 1, 1}, 1.5), Made({2, 2, 2, 2, 2}, 1.3)}, 1);
  CHECK_FALSE(noise.IsQuiet());
  CHECK(noise.busy == doctest::Approx(1.4));
  CHECK(Says(noise, "other programs wanted the same cores"));
  CHECK_FALSE(Says(noise, "repeats disagree"));
}

TEST_CASE("Repeats that disagree are told by their spread") {
  const Noise noise = NoiseOf({Made({1, 2, 1.5, 1.2, 1.8}), Made({1, 1.4, 1.2, 1.3, 1.1})}, 1);
  CHECK_FALSE(noise.IsQuiet());
  CHECK(Says(noise, "repeats disagree"));
}

TEST_CASE("A machine that slows down is told by its rounds") {
  const Noise noise =
      NoiseOf({Made({1, 1, 1, 1, 1.3}), Made({2, 2, 2, 2, 2.6}), Made({3, 3, 3, 3, 3.9})}, 1);
  CHECK(noise.drift == doctest::Approx(0.3));
  CHECK(noise.spread == 0);
  CHECK_FALSE(noise.IsQuiet());
  CHECK(Says(noise, "became faster or slower"));
}

TEST_CASE("Each round runs every case, and the rounds have different orders") {
  std::vector<int> log;
  std::vector<std::function<void()>> cases;
  cases.reserve(8);
  for (int i = 0; i < 8; ++i) cases.emplace_back([&log, i] { log.push_back(i); });
  std::int64_t told = 0;
  std::int64_t of = 0;
  const auto repeats =
      MeasureInRounds(cases, 3, Seconds(0), [&](std::int64_t done, std::int64_t all) {
        CHECK(done == ++told);
        of = all;
      });
  CHECK(told == of);
  REQUIRE(repeats.size() == 8);
  for (const Repeats& one : repeats) CHECK(one.timings.size() == 3);
  // Two untimed runs of each, then three rounds of one run each.
  REQUIRE(log.size() == 40);
  std::vector<std::vector<int>> rounds;
  for (std::size_t at = 16; at < 40; at += 8) rounds.emplace_back(&log[at], &log[at] + 8);
  CHECK(rounds[0] != rounds[1]);
  CHECK(rounds[1] != rounds[2]);
  for (auto& round : rounds) {
    std::sort(round.begin(), round.end());
    CHECK(round == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  }
}

TEST_CASE("A timing lasts as long as asked, and is that of one run") {
  std::int64_t runs = 0;
  const auto spin = [&runs] {
    ++runs;
    const Stopwatch watch;
    while (watch.Elapsed().wall < Seconds(1e-4)) {
    }
  };
  const auto repeats = MeasureInRounds({spin}, 1, Seconds(2e-3), [](auto, auto) {});
  CHECK(runs >= 2 + 2);  // the timed round ran it several times
  CHECK(repeats[0].timings[0].wall >= Seconds(1e-4));
  CHECK(repeats[0].timings[0].wall.value() * static_cast<double>(runs - 2) >= 1e-4);
}

}  // namespace roofcast::bench
