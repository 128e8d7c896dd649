// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/quantity.h"

namespace roofcast {

// How far predictions are from measurements, in percent of what was measured:
// e = 100 (predicted / measured - 1).
struct ErrorSummary {
  std::int64_t rows = 0;
  double mape = 0;    // mean of |e|
  double median = 0;  // of |e|
  double p90 = 0;     // of |e|; between two rows it is interpolated
  double worst = 0;   // the largest |e|
  double bias = 0;    // mean of e: above 0 predictions are too large
};

// Range: as many predictions as measurements, at least one, measured > 0.
ErrorSummary Summarise(const std::vector<double>& predicted, const std::vector<double>& measured);

template <Dim D>
ErrorSummary Summarise(const std::vector<Quantity<D>>& predicted,
                       const std::vector<Quantity<D>>& measured) {
  const auto values = [](const std::vector<Quantity<D>>& quantities) {
    std::vector<double> numbers;
    numbers.reserve(quantities.size());
    for (const Quantity<D>& quantity : quantities) numbers.push_back(quantity.value());
    return numbers;
  };
  return Summarise(values(predicted), values(measured));
}

// Spearman's rank correlation, ties at the mean of their ranks: 1 when predictions order the rows
// as measurements do. nullopt for fewer than two rows, or when either side has one value only.
std::optional<double> RankCorrelation(const std::vector<double>& predicted,
                                      const std::vector<double>& measured);

}  // namespace roofcast
