// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/calibrate.h"
#include "calibration/read_rows.h"

namespace roofcast {

// Each device of the rows that has a sibling among them, by that one's fit: one entry for each pair
// and family. Range: rows of any devices.
std::vector<SiblingError> JudgeSiblings(const MeasuredRows& rows, const CalibrateOptions& options);

}  // namespace roofcast
