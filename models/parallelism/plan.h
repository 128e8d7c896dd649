// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/cluster.h"
#include "models/llm/architecture.h"
#include "models/training_choices.h"

namespace roofcast {

// How a model is spread over devices. Written "tp8-pp4-dp2": the same text on the command line, in
// tables and as repr.
struct Plan {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 0;        // 0: what the cluster leaves (training); serving has replicas instead
  std::int64_t cp = 1;        // training: ranks that share each sequence
  std::int64_t ep = 1;        // ranks that share the experts, carved out of tp x cp x dp
  std::int64_t moe_tp = 0;    // ranks that share each expert; 0: tp when ep is 1, else 1
  std::int64_t vpp = 1;       // training: chunks of layers a stage holds, interleaved 1F1B
  std::int64_t replicas = 0;  // serving: independent copies; 0: what the cluster leaves
  std::int64_t micro_batch = 1;
  // Sharded over data-parallel ranks: 1 optimizer states, 2 and gradients, 3 and weights (FSDP).
  std::int64_t zero = 0;
  std::int64_t shard = 0;  // ranks that states are sharded over, the rest copies (HSDP); 0: dp x cp
  Recompute recompute = Recompute::kNone;
  bool sequence_parallel = true;  // training with tp > 1: norms and residuals split over tp
  std::optional<StageRule> stages = std::nullopt;  // none: the training engine's
  std::vector<std::int64_t> stage_layers = {};     // of each (virtual) stage; empty: by the rule

  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string FormatPlan(const Plan& plan);  // degrees above one, "tp1" when none is
Plan ParsePlan(std::string_view text);     // "tp8-pp4"; throws ArgumentError

// How layers are dealt to stages as text: a rule ("by-cost") or layers of each stage
// ("20,20,21,19").
void SetStages(const std::string& text, Plan& plan);  // throws ArgumentError
std::optional<std::string> StagesText(const Plan& plan);

// Tensor-parallel degrees that a model allows, up to `most`: they divide the query heads, divide
// the KV heads or are a multiple of them (MLA has none to split), and divide the FFN widths.
std::vector<std::int64_t> LegalTp(const Llm& llm, std::int64_t most);

// Ranks that share each expert, and that share one copy of a model's states: of the experts, and of
// the rest.
std::int64_t MoeTpOf(const Plan& plan);
std::int64_t ShardRanks(const Plan& plan);
std::int64_t ExpertShardRanks(const Plan& plan);

// The plan with dp (training) or replicas (serving) filled in, after every check against model and
// cluster. Throws ArgumentError: "tp=3: does not divide 64 query heads; use 1, 2, 4 or 8".
Plan SettleTrainingPlan(const Llm& llm, const Cluster& cluster, Plan plan);
Plan SettleServingPlan(const Llm& llm, const Cluster& cluster, Plan plan);

// Ranks are numbered tp fastest, then dp, then pp.
Group TpGroup(const Plan& plan);
Group DpGroup(const Plan& plan);
Group PpGroup(const Plan& plan);

}  // namespace roofcast
