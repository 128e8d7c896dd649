// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofcast::cli {

// What stood after `roofcast calibrate`.
struct CalibrateOptions {
  std::vector<std::string> files;
  std::string device;
  std::string output;  // "": the fit isn't kept
  bool json = false;
  bool help = false;
};

// Throws ArgumentError: unknown flag with the nearest one, missing value, flag given twice, no
// file, no device.
CalibrateOptions ParseCalibrate(const std::vector<std::string>& words);

std::string CalibrateHelp();

}  // namespace roofcast::cli
