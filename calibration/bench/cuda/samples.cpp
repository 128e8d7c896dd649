// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/samples.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace roofcast::bench::cuda {
namespace {

double Quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (rank - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

Latency Summarise(std::vector<double> replays_us, std::int64_t operators, std::int64_t copies) {
  ROOFCAST_CHECK(!replays_us.empty() && operators > 0);
  std::sort(replays_us.begin(), replays_us.end());
  const double median = Quantile(replays_us, 0.5);
  const double quartiles = Quantile(replays_us, 0.75) - Quantile(replays_us, 0.25);
  return {median / static_cast<double>(operators),
          median > 0 ? quartiles / median : 0,
          static_cast<std::int64_t>(replays_us.size()),
          copies};
}

std::int64_t OperatorsPerGraph(double estimate_us, std::int64_t copies) {
  constexpr double kGraph = 500;  // microseconds: the events are then exact to 0.1 %
  constexpr double kMost = 200;   // operators: instantiation takes some microseconds each
  const double wanted = std::clamp(kGraph / std::max(estimate_us, 0.1), 1.0, kMost);
  const double rounds = std::ceil(wanted / static_cast<double>(copies));
  return static_cast<std::int64_t>(rounds) * copies;
}

}  // namespace roofcast::bench::cuda
