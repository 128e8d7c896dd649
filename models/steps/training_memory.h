// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/node.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/parallelism/plan.h"
#include "models/training_rule.h"

namespace roofcast {

struct TrainingMemoryLoad {
  std::int64_t sequence = 0;       // tokens of a sequence, before context parallelism
  std::int64_t micro_batches = 1;  // of one step on one data-parallel rank
};

struct StagePeak {
  std::int64_t stage = 0;
  TrainingPhase phase = TrainingPhase::kForward;
  Bytes bytes;      // taken from the device: allocated, the allocator's margin and the runtime
  Bytes allocated;  // tensors alone
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

enum class MemoryVerdict : std::uint8_t { kFits, kTight, kOutOfMemory };
template <>
struct EnumNames<MemoryVerdict> {
  static constexpr std::array<std::pair<MemoryVerdict, std::string_view>, 3> kNames = {{
      {MemoryVerdict::kFits, "fits"},
      {MemoryVerdict::kTight, "tight"},
      {MemoryVerdict::kOutOfMemory, "out of memory"},
  }};
};
// Tight: it fits, and less than `tight_share` of the capacity is left.
MemoryVerdict VerdictOf(Bytes needed, Bytes capacity, double tight_share);

}  // namespace roofcast
