// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofcast::cli {

// What stood after `roofcast calibrate`.
struct CalibrateWords {
  std::vector<std::string> files;
  std::string device;
  bool pooled = false;
  std::vector<std::string> families;  // none: all
  std::string output;                 // "": the fit isn't kept
  std::string rows;                   // "": predictions of single rows aren't written
  bool json = false;
  bool quiet = false;
  bool help = false;
};

// Throws ArgumentError: unknown flag with the nearest one, missing value, flag given twice, no
// file, no device.
CalibrateWords ParseCalibrate(const std::vector<std::string>& words);

std::string CalibrateHelp();

}  // namespace roofcast::cli
