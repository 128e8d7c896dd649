// SPDX-License-Identifier: Apache-2.0
#include "calibration/metrics.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace roofcast {
namespace {

double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

}  // namespace

ErrorSummary Summarise(const std::vector<Seconds>& predicted,
                       const std::vector<Seconds>& measured) {
  ROOFCAST_CHECK(predicted.size() == measured.size() && !measured.empty());
  const auto rows = static_cast<double>(measured.size());
  ErrorSummary summary;
  summary.rows = static_cast<std::int64_t>(measured.size());
  std::vector<double> sizes;
  sizes.reserve(measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double error = 100 * (predicted[i] / measured[i] - 1);
    sizes.push_back(std::abs(error));
    summary.bias += error / rows;
    summary.mape += std::abs(error) / rows;
  }
  std::sort(sizes.begin(), sizes.end());
  summary.median = Quantile(sizes, 0.5);
  summary.p90 = Quantile(sizes, 0.9);
  return summary;
}

}  // namespace roofcast
