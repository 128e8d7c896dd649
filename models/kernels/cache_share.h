// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "models/kernels/form.h"

namespace roofcast {

// What traffic takes from memory, and from the last level cache if that held all of it.
struct CachedTraffic {
  double memory = 0;  // us at the datasheet's bandwidth
  double cache = 0;   // us at 64 bytes a cycle and SM
  double sizes = 0;   // traffic in sizes of the cache; 0: it holds nothing

  static CachedTraffic Of(double bytes, const DeviceRates& rates, bool cold) {
    constexpr double kLine = 64;
    CachedTraffic traffic;
    traffic.memory = bytes / rates.bandwidth;
    traffic.cache = bytes / (rates.units * rates.clock * kLine);
    if (!cold && rates.cache > 0) traffic.sizes = bytes / rates.cache;
    return traffic;
  }
};

// Time of traffic whose tensors the operator before has just touched:
//   memory + h (cost cache - memory),  h = 1 / (1 + (sizes / reach)^edge)
// The cache runs at the clock of the SMs, so that its cost is one of cycles: fitted, 64 bytes take
// 2 to 5 of them on A100, H100, B200 and L40S alike, whose memories differ tenfold.
template <class T>
T TimeOfTraffic(const CachedTraffic& traffic, const T& cost, const T& reach, const T& edge) {
  using std::exp;
  using std::log;
  if (!(traffic.sizes > 0)) return T(traffic.memory);
  constexpr double kMost = 1e6;  // keeps the power finite
  const T beyond = exp(edge * (std::log(std::min(traffic.sizes, kMost)) - log(reach)));
  return traffic.memory + (cost * traffic.cache - traffic.memory) / (1.0 + beyond);
}

}  // namespace roofcast
