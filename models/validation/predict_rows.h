// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/validation/row_outcome.h"

namespace roofcast {

// Reads a table of training runs and predicts each row of the metrics asked for; none: of all.
// Beside its own rows, `fits` has one for each run of a source that also lists runs out of memory:
// a run that was measured fits. `file` is what messages call the text. Throws SpecError.
std::vector<RowOutcome> PredictTrainingRows(std::string_view text,
                                            const std::string& file,
                                            const std::vector<Metric>& metrics);

}  // namespace roofcast
