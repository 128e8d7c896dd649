// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calibration/bench/timing.h"
#include "core/quantity.h"

namespace roofcast::bench {

// Told after every timed case: how many are done, of how many.
using Progress = std::function<void(std::int64_t done, std::int64_t all)>;

// Times every case once in each of `rounds` rounds, each in another random order, so that a machine
// that becomes slower meanwhile does it to all of them alike. A timed case runs as often as
// `least` takes, and its timing is that of one run. Before the first round each runs twice untimed:
// it makes its kernel, and tells how often it fits.
std::vector<Repeats> MeasureInRounds(const std::vector<std::function<void()>>& cases,
                                     int rounds,
                                     Seconds least,
                                     const Progress& progress);

}  // namespace roofcast::bench
