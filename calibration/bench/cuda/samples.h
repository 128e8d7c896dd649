// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace roofcast::bench::cuda {

// How an operator was timed and what came out.
struct Latency {
  double median_us = 0;
  double spread = 0;  // distance of the quartiles over the median
  std::int64_t repeats = 0;
  std::int64_t copies = 1;  // of its weights or inputs, taken in turn
};

// Of replays, each of which ran the operator `operators` times. Range: at least one replay.
Latency Summarise(std::vector<double> replays_us, std::int64_t operators, std::int64_t copies);

// How often one graph runs an operator of so many microseconds: long enough for the events, which
// count half microseconds; every copy as often as the others.
std::int64_t OperatorsPerGraph(double estimate_us, std::int64_t copies);

}  // namespace roofcast::bench::cuda
