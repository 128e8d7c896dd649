// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "hardware/device.h"
#include "models/coefficients.h"

namespace roofcast {

// Least data that a series is fitted to; smaller ones are named and left.
inline constexpr std::size_t kLeastRows = 20;

struct CalibrateOptions {
  std::vector<std::string> families;  // empty: all that there are rows of
  // Called before each series is fitted, from any thread: how many are done, of how many, and
  // which is next.
  std::function<void(std::size_t done, std::size_t total, const std::string& next)> progress;
  int threads = 0;  // 0: as many as the machine has
};

// One series, the data it rests on and how well it does.
struct SeriesReport {
  std::string name;  // "gemm bf16"
  std::string family;
  std::string format;
  std::string framework;  // "" where frameworks are pooled
  std::string kernel;
  std::vector<std::string> keys;        // of each row
  std::vector<std::string> frameworks;  // of each row
  std::vector<std::string> lines;       // "file:line" of each row
  std::vector<double> measured;         // microseconds, of each row
  std::vector<std::string> files;       // base names
  std::vector<std::string> sources;     // of the column `source`
  std::string data_hash;
  std::int64_t distinct_keys = 0;
  bool by_finer_key = false;  // `keys` are the finer ones: one model alone was measured
  SeriesFit fit;
};

// How well a device is predicted by the fit of a sibling, with its own datasheet.
struct SiblingError {
  std::string from;
  std::string to;
  std::string family;
  ErrorSummary errors;
  double coverage = 0;  // percent of rows in the 90 % intervals of the sibling's fit
  // Standard deviation of a logarithm that these must be widened by, to hold 90 % of the rows.
  double widening = 0;
};

struct Calibration {
  std::string name;  // of the fit: the device's, or "pooled"
  std::string title;
  std::optional<Device> device;  // none: pooled over those of the rows
  Fit assumed;                   // what operators without a series keep
  std::vector<SeriesReport> series;
  std::map<std::string, std::int64_t> skipped;  // why rows were not used -> how many
  std::vector<SiblingError> siblings;           // pooled: devices predicted by a sibling's fit
};

// Fits every series that the tables hold rows of: those measured on `device`, or, without one, the
// rows of all devices together, judged by leaving out each architecture, and each device by its
// siblings. Throws NotFoundError, SpecError (a table is
// wrong) or ArgumentError (nothing, or too little, to fit).
Calibration Calibrate(const std::vector<std::string>& paths,
                      const std::optional<Device>& device,
                      const CalibrateOptions& options = {});
// The same from rows in memory. Without a device the fit is pooled.
Calibration Calibrate(const MeasuredRows& rows,
                      const std::optional<Device>& device,
                      const CalibrateOptions& options = {});

// SHA-256 in hex over the sorted rows, each with a line end: it names the data that a fit rests on.
std::string DataHash(const std::vector<const MeasuredRow*>& rows);

}  // namespace roofcast
