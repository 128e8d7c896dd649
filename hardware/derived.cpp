// SPDX-License-Identifier: Apache-2.0
#include "hardware/derived.h"

namespace roofcast {

std::map<DType, FlopsPerByte> RidgePoints(const Device& device) {
  std::map<DType, FlopsPerByte> points;
  for (const auto& [dtype, peak] : device.peak) points[dtype] = peak / device.memory.bandwidth;
  return points;
}

std::map<DType, FlopsPerJoule> PeaksPerWatt(const Device& device) {
  std::map<DType, FlopsPerJoule> peaks;
  if (!device.power) return peaks;
  for (const auto& [dtype, peak] : device.peak) peaks[dtype] = peak / *device.power;
  return peaks;
}

Seconds TimeToReadMemory(const Device& device) {
  return device.memory.Visible() / device.memory.bandwidth;
}

double MemoryOverTier(const Device& device, const Tier& tier) {
  return device.memory.bandwidth / tier.PerDevice();
}

}  // namespace roofcast
