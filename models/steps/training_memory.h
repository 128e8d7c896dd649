// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/node.h"
#include "hardware/cluster.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/memory/training.h"
#include "models/parallelism/plan.h"
#include "models/steps/step_time.h"
#include "models/training_rule.h"

namespace roofcast {

// What the ranks of a pipeline stage hold: a share for each chunk of layers.
RankShares SharesOf(const Llm& llm, const Plan& plan, std::int64_t stage);

struct TrainingMemoryLoad {
  std::int64_t sequence = 0;       // tokens of a sequence, before context parallelism
  std::int64_t micro_batches = 1;  // of one step on one data-parallel rank
};

struct TrainingMemory {
  Node ledger;  // of the fullest rank in its fullest phase; the root is the sum of the leaves
  std::int64_t stage = 0;
  TrainingPhase phase = TrainingPhase::kForward;
  std::optional<Bytes> logged;    // what the framework itself reports, where its rule says what
  std::vector<StagePeak> stages;  // of every pipeline stage
};

// Peak over phases and ranks of what a training step holds. The plan is settled (its dp and stage
// rule are known). Precision says how weights and activations are stored, the rule everything else.
TrainingMemory PeakTrainingMemory(const Llm& llm,
                                  const Plan& plan,
                                  const Precision& precision,
                                  const TrainingRule& rule,
                                  const TrainingMemoryLoad& load);

// Tight: it fits, and less than `tight_share` of the capacity is left.
MemoryVerdict VerdictOf(Bytes needed, Bytes capacity, double tight_share);

// Fills memory, fits and why of `step`, whose plan is settled.
void ReportTrainingMemory(const Llm& llm,
                          const Cluster& cluster,
                          const Precision& precision,
                          const TrainingRule& rule,
                          const TrainingMemoryLoad& load,
                          StepTime& step);

}  // namespace roofcast
