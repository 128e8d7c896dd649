// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/node.h"
#include "core/quantity.h"
#include "core/scalar.h"

namespace roofcast {

// What one launch of an operator or collective costs. The terms are kept apart so that a report
// can say which of them is the largest.
template <class T>
struct Cost {
  SecondsT<T> time;       // all of it
  SecondsT<T> intercept;  // launch, ramp-up and drain: paid whatever the size
  SecondsT<T> compute;    // work at the achievable rate
  SecondsT<T> memory;     // traffic at the achievable bandwidth
  SecondsT<T> network;    // bytes sent at the achievable bandwidth, and hops
  Flops work;
  Bytes traffic;  // to and from device memory
  Bytes sent;     // by one rank
  Bound bound = Bound::kCompute;
};

// The largest term names the bound; an intercept that is the largest counts as host time, since
// it is what issuing the launch costs.
template <class T>
Bound BoundOf(const Cost<T>& cost) {
  Bound bound = Bound::kHost;
  SecondsT<T> largest = cost.intercept;
  if (!(cost.compute < largest)) bound = Bound::kCompute, largest = cost.compute;
  if (largest < cost.memory) bound = Bound::kMemory, largest = cost.memory;
  if (largest < cost.network) bound = Bound::kNetwork;
  return bound;
}

}  // namespace roofcast
