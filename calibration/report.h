// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "calibration/calibrate.h"
#include "core/json.h"

namespace roofcast {

// Tables for the terminal: each family's coefficients with their standard errors, and its errors
// beside those of the datasheet and of the assumed figures; then the rows not used.
std::string FormatCalibration(const Calibration& calibration);

// The same as a document of schema `roofcast/1`, verb "calibrate"; errors in percent.
Json ToJson(const Calibration& calibration);

}  // namespace roofcast
