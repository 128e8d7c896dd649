// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  bool by_finer_key = false;             // `keys` are the finer ones: one model alone was measured
  SeriesFit fit;
};

struct Calibration {
  Device device;
  Fit assumed;  // what operators without a series keep
  std::vector<SeriesReport> series;
  std::map<std::string, std::int64_t> skipped;  // why rows were not used -> how many
};

// Fits every series that the tables hold rows of. Throws NotFoundError, SpecError (a table is
// wrong) or ArgumentError (nothing, or too little, to fit).
Calibration Calibrate(const std::vector<std::string>& paths,
                      const Device& device,
                      const CalibrateOptions& options = {});
// The same from rows in memory.
Calibration Calibrate(const MeasuredRows& rows,
                      const Device& device,
                      const CalibrateOptions& options = {});

// SHA-256 in hex over the sorted rows, each with a line end: it names the data that a fit rests on.
std::string DataHash(const std::vector<const MeasuredRow*>& rows);

}  // namespace roofcast
