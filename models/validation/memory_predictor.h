// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/quantity.h"
#include "models/engine.h"
#include "models/validation/training_run.h"

namespace roofcast {

// What is predicted of a run's memory, to be held against what its framework reports.
struct PredictedMemory {
  Bytes logged;       // allocated on the first stage in the phase that the framework logs
  Bytes reserved;     // by the allocator, on the first stage: allocator_factor x allocated
  Bytes allocated;    // on the fullest stage in its fullest phase
  Bytes states;       // weights, gradients and optimizer of the fullest stage
  Bytes runtime;      // driver context and communicators
  Bytes device;       // taken from the device of the fullest stage
  bool logs = false;  // the engine's rule says what is logged
};

// Predicts by the training rule of a run's engine, each of which is read once.
class MemoryPredictor {
 public:
  // Throws Error when the engine isn't known, has no training rule or can't run the plan.
  PredictedMemory Predict(const TrainingRun& run);

 private:
  std::map<std::string, Engine, std::less<>> engines_;
};

}  // namespace roofcast
