// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/steps/predict.h"
#include "models/steps/step_time.h"

namespace roofcast {

// Micro-batches of one step on each data-parallel rank. Throws ArgumentError where they are no
// whole number.
std::int64_t MicroBatchesOf(const Plan& plan, std::int64_t global_batch);

// What time and memory of a training step share: settles plan, formats and rule, and fills plan,
// memory and load of `step`. Returns the formats.
Precision SettleTraining(const Llm& llm,
                         const Cluster& cluster,
                         const TrainLoad& load,
                         const Options& options,
                         const Fit& fit,
                         StepTime& step);

}  // namespace roofcast
