// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/quantity.h"

namespace roofcast {

// How far predictions are from measurements, in percent of the measured time:
// e = 100 (predicted / measured - 1).
struct ErrorSummary {
  std::int64_t rows = 0;
  double mape = 0;    // mean of |e|
  double median = 0;  // of |e|
  double p90 = 0;     // of |e|; between two rows it is interpolated
  double bias = 0;    // mean of e: above 0 predictions are too slow
};

// Range: as many predictions as measurements, at least one, measured > 0.
ErrorSummary Summarise(const std::vector<Seconds>& predicted, const std::vector<Seconds>& measured);

}  // namespace roofcast
