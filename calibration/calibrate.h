// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/dataset.h"
#include "calibration/fit.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/validation/error_summary.h"

namespace roofcast {

// Least data that a fit is made from.
inline constexpr std::size_t kLeastRows = 20;
inline constexpr std::size_t kLeastKeys = 5;

// Smallest and largest value that the fitted rows have of a size.
using Ranges = std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>>;

// One family's fit, the data it rests on and how well it does.
struct FamilyReport {
  FamilyFit fit;
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  std::vector<std::string> files;    // base names
  std::vector<std::string> sources;  // of the column `source`
  std::string data_hash;
  Ranges ranges;
  ErrorSummary datasheet;        // peaks alone
  ErrorSummary assumed;          // with the assumed coefficients
  ErrorSummary in_sample;        // with the fit, on the rows it was made from
  ErrorSummary cross_validated;  // each row by a fit to the rows of other folds
};

struct Calibration {
  Device device;
  Fit assumed;  // what families without data keep
  std::vector<FamilyReport> families;
  std::map<std::string, std::int64_t> skipped;  // why rows were not used -> how many
};

// Fits every family that the tables hold rows of. Throws NotFoundError, SpecError (a table is
// wrong) or ArgumentError (nothing, or too little, to fit).
Calibration Calibrate(const std::vector<std::string>& paths, const Device& device);
// The same from rows in memory.
Calibration Calibrate(Dataset dataset, const Device& device);

}  // namespace roofcast
