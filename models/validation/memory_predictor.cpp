// SPDX-License-Identifier: Apache-2.0
#include "models/validation/memory_predictor.h"

#include <algorithm>

#include "core/error.h"
#include "models/steps/training_memory.h"

namespace roofcast {
namespace {

Bytes BytesOfChild(const Node& ledger, std::string_view name) {
  const Node* child = FindChild(ledger, name);
  return child == nullptr ? Bytes(0) : child->bytes;
}

}  // namespace

PredictedMemory MemoryPredictor::Predict(const TrainingRun& run) {
  auto found = engines_.find(run.engine);
  if (found == engines_.end()) found = engines_.emplace(run.engine, LoadEngine(run.engine)).first;
  if (!found->second.training) {
    throw ArgumentError("engine: '" + run.engine + "' says nothing of training; add a block to it");
  }
  const TrainingRule& rule = *found->second.training;
  const TrainingMemory memory = PeakTrainingMemory(
      run.llm, run.plan, TrainingPrecision(run.llm, {}), rule, {run.sequence, run.micro_batches});
  const auto fullest = std::max_element(
      memory.stages.begin(), memory.stages.end(), [](const StagePeak& a, const StagePeak& b) {
        return a.bytes < b.bytes;
      });
  PredictedMemory predicted;
  predicted.logs = memory.logged.has_value();
  predicted.logged = memory.logged.value_or(Bytes(0));
  predicted.reserved = rule.allocator_factor * memory.stages.front().allocated;
  predicted.allocated = fullest->allocated;
  predicted.device = fullest->bytes;
  predicted.runtime = fullest->bytes - rule.allocator_factor * fullest->allocated;
  for (const char* part : {"weights", "gradients", "optimizer"}) {
    predicted.states += BytesOfChild(memory.ledger, part);
  }
  return predicted;
}

}  // namespace roofcast
