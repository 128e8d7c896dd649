// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/bench/options.h"

namespace roofcast::cli {

// What stood after `roofcast bench`.
struct BenchWords {
  bench::BenchOptions options;
  std::string output;  // a folder; "": nothing is kept
  bool json = false;
  bool quiet = false;
  bool help = false;
};

// Throws ArgumentError: unknown flag or family with the nearest one, missing or impossible value,
// flag given twice.
BenchWords ParseBench(const std::vector<std::string>& words);

std::string BenchHelp();

}  // namespace roofcast::cli
