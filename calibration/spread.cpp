// SPDX-License-Identifier: Apache-2.0
#include "calibration/spread.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/scalar.h"
#include "models/validation/folds.h"

namespace roofcast {
namespace {

constexpr double kTail = 0.05;
constexpr double kShrinkRows = 15;

const RegimeSpread& FindSpread(const std::vector<RegimeSpread>& spreads,
                               const std::string& regime) {
  for (const RegimeSpread& spread : spreads) {
    if (spread.regime == regime) return spread;
  }
  return spreads.front();  // "all"
}

}  // namespace

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double place = std::clamp(q * (count + 1) - 1, 0.0, count - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

std::vector<RegimeSpread> SpreadOfResiduals(const std::vector<double>& residuals,
                                            const std::vector<std::string>& regimes) {
  std::map<std::string, std::vector<double>> by_regime;
  for (std::size_t i = 0; i < residuals.size(); ++i) by_regime[regimes[i]].push_back(residuals[i]);
  const double low = Quantile(residuals, kTail);
  const double high = Quantile(residuals, 1 - kTail);
  std::vector<RegimeSpread> spreads = {
      {"all", static_cast<std::int64_t>(residuals.size()), std::exp(low), std::exp(high)}};
  for (const auto& entry : by_regime) {
    const std::string& regime = entry.first;
    const std::vector<double>& values = entry.second;
    const auto rows = static_cast<double>(values.size());
    const double own = rows / (rows + kShrinkRows);
    const auto drawn = [&](double q, double whole) {
      return std::exp(own * Quantile(values, q) + (1 - own) * whole);
    };
    if (regime == "all") continue;
    spreads.push_back({regime,
                       static_cast<std::int64_t>(values.size()),
                       drawn(kTail, low),
                       drawn(1 - kTail, high)});
  }
  return spreads;
}

double HeldOutCoverage(const std::vector<double>& residuals,
                       const std::vector<std::string>& regimes,
                       const std::vector<std::string>& keys) {
  std::size_t covered = 0;
  std::size_t judged = 0;
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<double> others;
    std::vector<std::string> their_regimes;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (FoldOf(keys[i]) == fold) {
        held.push_back(i);
      } else {
        others.push_back(residuals[i]);
        their_regimes.push_back(regimes[i]);
      }
    }
    if (others.empty()) continue;
    const auto spreads = SpreadOfResiduals(others, their_regimes);
    for (const std::size_t i : held) {
      const RegimeSpread& spread = FindSpread(spreads, regimes[i]);
      const double ratio = std::exp(residuals[i]);
      if (ratio >= spread.low && ratio <= spread.high) ++covered;
      ++judged;
    }
  }
  return judged == 0 ? 0 : 100 * static_cast<double>(covered) / static_cast<double>(judged);
}

}  // namespace roofcast
