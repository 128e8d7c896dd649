// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/quantity.h"
#include "models/steps/step_time.h"
#include "models/training_rule.h"
#include "models/validation/training_run.h"

namespace roofcast {

// What is predicted of a run's memory, to be held against what its framework reports.
struct PredictedMemory {
  std::optional<Bytes> logged;  // allocated on the first stage when the framework logs it
  Bytes reserved;               // by the allocator, on the first stage
  Bytes device;                 // taken from the device of the fullest stage
  Bytes states;                 // of it weights, gradients and optimizer
  Bytes runtime;                // of it driver context and communicators
  std::vector<StagePeak> stages;

  // The pressure on `usable` bytes: transient tensors over the room that the others leave for
  // them, on the stage where that is most. They fit while it is at most 1 / allocator_factor.
  double PressureOn(Bytes usable) const;
};

// Predicts by the training rule of a run's engine, each of which is read once.
class MemoryPredictor {
 public:
  // Throws Error when the engine isn't known, has no training rule or can't run the plan.
  PredictedMemory Predict(const TrainingRun& run);

 private:
  const TrainingRule& RuleOf(const std::string& engine);

  std::map<std::string, TrainingRule, std::less<>> rules_;  // by engine
};

}  // namespace roofcast
