// SPDX-License-Identifier: Apache-2.0
// What follows from a device's figures; `roofcast show` prints it beside them.
#pragma once

#include <map>

#include "core/dtype.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "hardware/topology.h"

namespace roofcast {

using FlopsPerByte = Quantity<Dim{.byte = -1, .flop = 1}>;
using FlopsPerJoule = Quantity<Dim{.flop = 1, .joule = -1}>;

// FLOP per byte of memory traffic above which a matrix product is limited by computing, for every
// format of the matrix units [williams2009roofline]:
//   ridge point = dense peak / memory bandwidth
std::map<DType, FlopsPerByte> RidgePoints(const Device& device);

// Dense peak per watt of the power limit, which the peak may not hold at; empty without a limit.
std::map<DType, FlopsPerJoule> PeaksPerWatt(const Device& device);

// How long reading all of the memory takes: no decode step whose weights and KV cache fill it can
// be faster.
//   visible capacity / memory bandwidth
Seconds TimeToReadMemory(const Device& device);

// How many times faster the device's memory is than what a tier brings from other devices, in one
// direction:
//   memory bandwidth / (bandwidth of a link x links per device)
double MemoryOverTier(const Device& device, const Tier& tier);

}  // namespace roofcast
