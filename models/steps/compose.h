// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/node.h"
#include "hardware/cluster.h"
#include "models/kernels/estimator.h"
#include "models/parallelism/lower.h"

namespace roofcast {

// Costs a list of work in order of issue and adds it up: one child for each group of the list
// ("attention", "ffn"), one leaf below it for each name. Nothing runs beside anything else, so
// all time is exposed. `estimator` is one of the cluster's device.
Node ComposeWork(std::string name,
                 const WorkList& work,
                 const Cluster& cluster,
                 Estimator& estimator);

// Cost of one collective as a leaf.
Node CollectiveNode(std::string name,
                    const Collective& collective,
                    const Cluster& cluster,
                    Estimator& estimator);

// Adds the children of `part`, `times` over, to the children of the same name in `whole`.
void Merge(Node& whole, const Node& part, std::int64_t times);

}  // namespace roofcast
