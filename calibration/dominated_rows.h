// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/measured_row.h"

namespace roofcast {

// How much slower than a larger job a row must be to prove that chance decided.
inline constexpr double kProvenRandom = 1.8;

// For each row, whether the same table holds a larger job of the same experts, format, framework,
// release and kernel that ran kProvenRandom times faster: at least as many tokens, rows of the
// rank, numbers in those rows, and weights to read. Then what the row measured is not its size but
// an unlucky choice, such as a tuner's that never tried the right tile. It looks at measured times
// and sizes alone, never at a model's error. Of fused experts; other rows are never marked.
std::vector<bool> MarkDominated(const std::vector<MeasuredRow>& rows);

}  // namespace roofcast
