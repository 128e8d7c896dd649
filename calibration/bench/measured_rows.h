// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/bench/measured.h"
#include "calibration/measured_row.h"

namespace roofcast::bench {

// The rows that a reader of FormatTables() would find, without memory.csv: what fits are made from.
std::vector<MeasuredRow> ToRows(const std::vector<Measured>& measured, const Setting& setting);

}  // namespace roofcast::bench
