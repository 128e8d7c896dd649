// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bench/cuda/gpu/gpu.cuh"
#include "calibration/bench/cuda/options.h"

namespace roofcast::bench::cuda {

// Holds the results of every kernel that will be timed against references on the host, on small
// shapes, and prints each error. False when one is too large.
bool Verify(const Options& options, const Gpu& gpu);

}  // namespace roofcast::bench::cuda
