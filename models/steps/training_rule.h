// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/coefficients.h"
#include "models/engine.h"
#include "models/llm/precision.h"
#include "models/steps/predict.h"
#include "models/steps/step_time.h"
#include "models/training_rule.h"

namespace roofcast {

// The engine that was asked for, or the one that stands for no framework; with a training block.
const Engine& TrainingEngineOf(const Options& options);
// Its rule with what the user overrides, and the runtime of the coefficients where it has none of
// its own. Says in `step` whose rule it is.
TrainingRule SettleTrainingRule(const Options& options, const Fit& fit, StepTime& step);
// Formats of gradients and optimizer states, on the wire too, are the rule's.
Precision WithRule(Precision precision, const TrainingRule& rule);

}  // namespace roofcast
