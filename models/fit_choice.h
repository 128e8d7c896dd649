// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "hardware/device.h"
#include "models/coefficients.h"

namespace roofcast {

// A fit that may hold operators of a device, and what taking it over means.
struct FitChoice {
  std::shared_ptr<const Fit> fit;
  Transfer transfer = Transfer::kOwn;
};

// Whether a device's coefficients may stand for another's with the datasheet changed: the same
// architecture and the same class of memory (HBM or not), since a part with GDDR of an architecture
// has other caches and other rates.
bool AreSiblings(const Device& one, const Device& other);

// The fits for a device, the nearest first: its own, that of the sibling whose units and bandwidth
// are nearest, the pooled one, and the assumed figures, whose plain coefficients are the last
// resort. Fits are read once.
std::vector<FitChoice> FitsFor(const Device& device);

// The same when the user names a fit: that one alone.
std::vector<FitChoice> OnlyFit(const Fit& fit);

}  // namespace roofcast
