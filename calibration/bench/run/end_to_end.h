// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/bench/forward_result.h"
#include "calibration/bench/options.h"
#include "calibration/bench/run/bench.h"

namespace roofcast::bench {

// Runs small transformers for real and predicts them by fits to what was measured between them:
// in each run, operators and whole passes take turns, since machines drift.
EndToEnd RunEndToEnd(const BenchOptions& options,
                     const std::string& date,
                     const Progress& progress);

}  // namespace roofcast::bench
