// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bench/cuda/options.h"
#include "calibration/bench/cuda/samples.h"
#include "calibration/bench/cuda/tables.h"

namespace roofcast::bench::cuda {

// What a launch costs the host and the device, and copies between them.
Kernel HostKernel(const HostPoint& point);
Latency MeasureHost(const Options& options, const HostPoint& point);

}  // namespace roofcast::bench::cuda
