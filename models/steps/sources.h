// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/llm/precision.h"
#include "models/steps/step_time.h"

namespace roofcast {

// Every figure that a prediction on this cluster with these formats rests on: device peaks and
// memory, links, coefficients. A figure that is itself assumed says so.
std::vector<UsedSource> SourcesOf(const Cluster& cluster,
                                  const Fit& fit,
                                  const Precision& precision);

}  // namespace roofcast
