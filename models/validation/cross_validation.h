// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/validation/row_outcome.h"

namespace roofcast {

// Predicts every row once more with the one constant of its metric chosen on the rows of the other
// four folds, and writes it to `cross_validated` of the row:
// - memory, by regime: bytes that are allocated whatever the model, the median of what is missing;
// - fits: the pressure above which a run is out of memory, that with the most rows right; of
//   several as good the middle one.
// Rows stay without it when no other fold has a row.
void CrossValidate(std::vector<RowOutcome>& outcomes);

// The middle one of the thresholds with the most of these rows right. Range: at least one row.
double BestThreshold(const std::vector<const FitsOutcome*>& rows);

}  // namespace roofcast
