// SPDX-License-Identifier: Apache-2.0
#include "models/validation/error_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace roofcast {
namespace {

double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

// Ranks from 1; equal values share the mean of theirs.
std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b];
  });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double rank = static_cast<double>(first + 1 + last) / 2;
    for (; first < last; ++first) ranks[order[first]] = rank;
  }
  return ranks;
}

}  // namespace

ErrorSummary Summarise(const std::vector<double>& predicted, const std::vector<double>& measured) {
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
  summary.worst = sizes.back();
  return summary;
}

std::optional<double> RankCorrelation(const std::vector<double>& predicted,
                                      const std::vector<double>& measured) {
  ROOFCAST_CHECK(predicted.size() == measured.size());
  if (measured.size() < 2) return std::nullopt;
  const std::vector<double> a = RanksOf(predicted);
  const std::vector<double> b = RanksOf(measured);
  const double mean = static_cast<double>(a.size() + 1) / 2;
  double product = 0;
  double spread_a = 0;
  double spread_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean) * (b[i] - mean);
    spread_a += (a[i] - mean) * (a[i] - mean);
    spread_b += (b[i] - mean) * (b[i] - mean);
  }
  if (spread_a == 0 || spread_b == 0) return std::nullopt;
  return product / std::sqrt(spread_a * spread_b);
}

}  // namespace roofcast
