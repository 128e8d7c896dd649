// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/kv_layout.h"
#include "models/llm/precision.h"
#include "models/memory/ledger.h"
#include "models/parallelism/plan.h"
#include "models/steps/step_time.h"

namespace roofcast {

// What a rank of pipeline stage `stage` holds; of a pipeline that is not interleaved.
RankShare ShareOf(const Llm& llm, const Plan& plan, std::int64_t stage);

// Ledgers of every stage, the fullest one reported; fills memory, fits and why of `step`.
struct ServingMemory {
  std::int64_t sequences = 1;  // on the replica
  std::int64_t length = 0;     // tokens of each in the KV cache
  std::int64_t tokens = 0;     // in one pass: sets the workspace
  std::int64_t logits = 0;     // rows of logits in one pass
  KvLayout layout{};
};
void ReportServingMemory(const Llm& llm,
                         const Cluster& cluster,
                         const Precision& precision,
                         const ServingMemory& load,
                         const Coefficients<double>& coefficients,
                         StepTime& step);

}  // namespace roofcast
