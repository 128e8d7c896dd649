// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "calibration/calibrate.h"
#include "models/coefficients.h"

namespace roofcast {

// One series as a fit file holds it: numbers rounded to the digits that their errors leave.
FittedSeries ToFittedSeries(const SeriesReport& report);

// The fit as LoadFit reads it: each series with a reference that says what data and when;
// everything else as assumed. `date` is written as it is: 2026-03-01.
Fit ToFit(const Calibration& calibration, const std::string& date);

// The text of a file of hardware/fits/.
std::string FormatFit(const Calibration& calibration, const std::string& date);

// Writes it as Output of core/output.h does; throws its OutputError when it can't be written.
void SaveFit(const Calibration& calibration, const std::string& date, const std::string& path);

// Today in UTC.
std::string Today();

}  // namespace roofcast
