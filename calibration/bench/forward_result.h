// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/bench/machine.h"
#include "calibration/bench/measured.h"
#include "calibration/bench/timing.h"
#include "core/dtype.h"
#include "core/json.h"
#include "core/quantity.h"

namespace roofcast::bench {

// One pass of one model: what it took, and what the fit had said.
struct ForwardResult {
  std::string model;
  std::string pass;
  DType dtype = DType::kFp32;
  Seconds measured;
  Seconds predicted;
  Seconds low;  // of the 90 % interval
  Seconds high;

  double Error() const { return predicted / measured - 1; }
  bool IsCovered() const { return low <= measured && measured <= high; }
};

// One run over operators and passes.
struct EndToEndRun {
  std::vector<ForwardResult> forwards;
  std::map<std::string, double> operator_errors;  // cross-validated, percent, by series
  Noise noise;

  double Mape() const;  // percent, over the passes
};

struct EndToEnd {
  Machine machine;
  Setting setting;
  std::vector<std::string> notes;
  std::map<DType, std::vector<EndToEndRun>> runs;  // by format
};

inline constexpr int kEndToEndRuns = 3;
inline constexpr double kMostMape = 10;  // percent

// Median of the runs' errors, in percent.
double MapeOf(const std::vector<EndToEndRun>& runs);
// Every pass with its median over the runs, then the errors, and whether they are what was asked
// for or the machine was not quiet.
std::string FormatEndToEnd(const EndToEnd& result);
Json ToJson(const EndToEnd& result);

}  // namespace roofcast::bench
