// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "calibration/bench/measured.h"

namespace roofcast::bench {

inline constexpr int kLeastRepeats = 5;  // below, a median and its spread mean little
inline constexpr int kMostRepeats = 1000;

struct BenchOptions {
  bool quick = false;
  bool end_to_end = false;
  int threads = 0;  // 0: one for each core that the process may use
  int repeats = kLeastRepeats;
  std::set<Part> parts;  // none: all
  std::string name;      // of the device; "": made from the processor's
};

}  // namespace roofcast::bench
