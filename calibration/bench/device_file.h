// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/bench/machine.h"
#include "calibration/bench/measured.h"
#include "hardware/device.h"

namespace roofcast::bench {

// The processor as a device of the catalog's kind: the highest rate that products of each format
// reached, the bandwidth that products with a vector read cold weights at (a plain read is faster,
// and no model runs on it), and what the system says of cores, caches and memory. nullopt when no
// products were measured. `date` is written down with the figures, as 2026-01-31.
std::optional<Device> DeviceFrom(const Machine& machine,
                                 const std::vector<Measured>& measured,
                                 const Setting& setting,
                                 const std::string& date);

// The name of its file.
std::string DeviceFileName(const std::string& device);

}  // namespace roofcast::bench
