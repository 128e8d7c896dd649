// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/llm/precision.h"
#include "models/steps/step_time.h"

namespace roofcast {

// Every figure that a prediction on this cluster with these formats rests on: device peaks and
// memory, links, coefficients. A figure that is itself assumed says so.
// `families` names the families of coefficients that it used.
std::vector<UsedSource> SourcesOf(const Cluster& cluster,
                                  const Fit& fit,
                                  const Precision& precision,
                                  const std::set<std::string_view>& families);

}  // namespace roofcast
