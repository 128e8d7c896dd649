// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/bench/machine.h"
#include "calibration/bench/measured.h"
#include "calibration/bench/options.h"
#include "calibration/bench/rounds.h"
#include "calibration/bench/timing.h"
#include "hardware/device.h"

namespace roofcast::bench {

// This machine, ready to measure: its threads run, each on a core of its own.
struct Ready {
  Machine machine;
  Setting setting;
  std::vector<DType> formats;      // that products can be measured in
  std::vector<std::string> notes;  // what is not as it should be
};
// Throws ArgumentError: more threads than cores, or a name that is none.
Ready MakeMachineReady(const BenchOptions& options);

struct BenchResult {
  Machine machine;
  Setting setting;
  std::vector<Measured> measured;
  Noise noise;
  std::optional<Device> device;  // none when no products were measured
  std::vector<std::string> notes;
};
// Throws ArgumentError; std::bad_alloc when memory is short.
BenchResult RunBench(const BenchOptions& options,
                     const std::string& date,
                     const Progress& progress);

// Throws ArgumentError unless so much memory is free.
void RequireMemory(const Machine& machine, double bytes);

}  // namespace roofcast::bench
