// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/form.h"

namespace roofcast {
namespace {
// Of a device whose clock isn't known: what server GPUs run at.
constexpr double kUsualClock = 1700;
constexpr double kMicro = 1e-6;
}  // namespace

DeviceRates DeviceRates::Of(const Device& device) {
  DeviceRates rates;
  rates.units = Number(device.compute_units);
  rates.clock = device.clock ? device.clock->value() * kMicro : kUsualClock;
  rates.bandwidth = device.memory.bandwidth.value() * kMicro;
  if (device.last_level_cache) rates.cache = device.last_level_cache->capacity.value();
  return rates;
}

double RateOf(const Device& device, DType dtype) {
  return device.PeakOf(dtype).value() * kMicro;
}

}  // namespace roofcast
