// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace roofcast {

// Time of traffic over what it takes from memory alone, when `sizes` is the traffic in sizes of the
// cache and the operator before has touched all of it:
//   h cost + 1 - h,  h = 1 / (1 + (sizes / reach)^edge)
// 0 sizes stand for a cache that holds none of it.
template <class T>
T TimeOverMemory(double sizes, const T& cost, const T& reach, const T& edge) {
  using std::exp;
  using std::log;
  if (!(sizes > 0)) return T(1);
  constexpr double kMost = 1e6;  // keeps the power finite
  const T beyond = exp(edge * (std::log(std::min(sizes, kMost)) - log(reach)));
  return 1.0 - (1.0 - cost) / (1.0 + beyond);
}

}  // namespace roofcast
