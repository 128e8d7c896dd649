// SPDX-License-Identifier: Apache-2.0
#include "models/validation/memory_predictor.h"

#include <algorithm>

#include "core/error.h"
#include "models/coefficients.h"
#include "models/engine.h"
#include "models/steps/training_memory.h"

namespace roofcast {
namespace {

Bytes BytesOfChild(const Node& ledger, std::string_view name) {
  const Node* child = FindChild(ledger, name);
  return child == nullptr ? Bytes(0) : child->bytes;
}

}  // namespace

double PredictedMemory::PressureOn(Bytes usable) const {
  constexpr double kNoRoom = 1e9;
  double most = 0;
  for (const StagePeak& stage : stages) {
    const Bytes room = usable - (stage.allocated - stage.transient);
    if (room <= Bytes(0)) return kNoRoom;
    most = std::max(most, stage.transient / room);
  }
  return std::min(most, kNoRoom);
}

const TrainingRule& MemoryPredictor::RuleOf(const std::string& engine) {
  const auto found = rules_.find(engine);
  if (found != rules_.end()) return found->second;
  const Engine read = LoadEngine(engine);
  if (!read.training) {
    throw ArgumentError("engine: '" + engine + "' says nothing of training; add a block to it");
  }
  TrainingRule rule = *read.training;
  if (!rule.runtime) rule.runtime = LoadFit().coefficients.memory.runtime;
  return rules_.emplace(engine, rule).first->second;
}

PredictedMemory MemoryPredictor::Predict(const TrainingRun& run) {
  const TrainingRule& rule = RuleOf(run.engine);
  const TrainingMemory memory = PeakTrainingMemory(
      run.llm, run.plan, TrainingPrecision(run.llm, {}), rule, {run.sequence, run.micro_batches});
  PredictedMemory predicted;
  predicted.logged = memory.logged;
  predicted.runtime = *rule.runtime;
  predicted.reserved = memory.stages.front().bytes - predicted.runtime;
  predicted.device = memory.ledger.bytes;
  predicted.stages = memory.stages;
  for (const char* part : {"weights", "gradients", "optimizer"}) {
    predicted.states += BytesOfChild(memory.ledger, part);
  }
  return predicted;
}

}  // namespace roofcast
