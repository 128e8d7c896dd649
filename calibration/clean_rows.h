// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "calibration/read_rows.h"

namespace roofcast {

// Cleans the rows of one file, those from `first` on, family by family: what cleaning.h drops is
// counted in `skipped` with its reason and first lines, repeats of one measurement become their
// median. Throws SpecError when a whole table has the wrong unit.
void CleanRows(const std::string& file, std::size_t first, MeasuredRows& rows);

}  // namespace roofcast
