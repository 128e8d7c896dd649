// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "hardware/cluster.h"
#include "models/kernels/estimator.h"
#include "models/llm/precision.h"
#include "models/steps/predict.h"
#include "models/steps/step_time.h"

namespace roofcast {

// What every verb settles before it predicts.

// Throws ArgumentError unless lowest <= value <= highest.
void RequireRange(std::string_view name,
                  std::int64_t value,
                  std::int64_t lowest,
                  std::int64_t highest);

// The fit that was asked for, or the default one, which is read once.
const Fit& FitOf(const Options& options);

// Costs operators on the cluster's device with the fit that was asked for, or with those that
// there are for it.
Estimator EstimatorFor(const Cluster& cluster, const Options& options);

// Formats that the device can multiply: where activations were not asked for and the device has no
// such rate, they become the residual format and `step` says so.
Precision SettlePrecision(Precision precision,
                          const PrecisionChoice& choice,
                          const Cluster& cluster,
                          StepTime& step);

// Tries `report` (which fills memory and fits of a step whose plan is set) with the smallest legal
// tp first and keeps the first that fits, else the largest; says so in `step`.
void ChooseTp(const Llm& llm,
              const Cluster& cluster,
              StepTime& step,
              const std::function<Plan(const Llm&, const Cluster&, Plan)>& settle,
              const std::function<void(StepTime&)>& report);

// Names, sources, assumptions of every prediction, bound and interval from the breakdown.
// `estimator` made it; nullptr for bytes alone.
void Finish(const Llm& llm,
            const Cluster& cluster,
            const Fit& fit,
            const Precision& precision,
            const Estimator* estimator,
            StepTime& step);

// Notes formats that were taken without being asked for, or that say more than their name.
void NoteStorage(const Llm& checkpoint,
                 const PrecisionChoice& choice,
                 const Precision& precision,
                 StepTime& step);

// Notes a length beyond what the config allows.
void NoteLength(const Llm& llm, std::int64_t length, StepTime& step);

}  // namespace roofcast
