// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/bench/measured.h"
#include "calibration/bench/timing.h"
#include "core/json.h"

namespace roofcast::bench {

// For the terminal: rates by part, format and size, the slowest to the fastest of each.
std::string FormatSummary(const std::vector<Measured>& measured, const Setting& setting);
// The same of every case, as the value of "cases".
Json ToJson(const std::vector<Measured>& measured, const Setting& setting);
Json ToJson(const Noise& noise);

}  // namespace roofcast::bench
