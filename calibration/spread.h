// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/fitted_series.h"

namespace roofcast {

// The 90 % spread of measured / predicted, by regime and, as "all", of the whole series, from
// residuals log(measured / predicted) of rows that the fit had not seen. A regime's quantiles are
// drawn towards the whole's with the weight of 15 rows.
std::vector<RegimeSpread> SpreadOfResiduals(const std::vector<double>& residuals,
                                            const std::vector<std::string>& regimes);

// Share, in percent, of rows that lie in the spread of the rows of other folds.
double HeldOutCoverage(const std::vector<double>& residuals,
                       const std::vector<std::string>& regimes,
                       const std::vector<std::string>& keys);

// The q-quantile, interpolated so that a new value of the same kind lies below it with
// probability q: position q (n + 1) among n sorted values. Range: values not empty.
double Quantile(std::vector<double> values, double q);

}  // namespace roofcast
