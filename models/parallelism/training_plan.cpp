// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.h"
#include "core/text.h"
#include "models/parallelism/check_plan.h"
#include "models/parallelism/plan.h"

namespace roofcast {
namespace {

[[noreturn]] void Refuse(std::string_view name, std::int64_t value, const std::string& why) {
  throw ArgumentError(std::string(name) + "=" + std::to_string(value) + ": " + why);
}

std::string Times(std::string_view name, std::int64_t value) {
  return std::string(name) + " " + std::to_string(value);
}

// The degrees of a model's copy, "tp 8 x pp 4"; cp only where it is used.
std::string Product(const Plan& plan) {
  std::string text = Times("tp", plan.tp) + " x " + Times("pp", plan.pp);
  return plan.cp > 1 ? text + " x " + Times("cp", plan.cp) : text;
}

void CheckZero(const Plan& plan) {
  if (plan.zero < 0 || plan.zero > 3) {
    Refuse("zero", plan.zero, "is not modelled; use 0, 1, 2 or 3");
  }
}

void CheckStages(const Llm& llm, const Plan& plan) {
  if (plan.vpp > 1 && plan.pp == 1) {
    Refuse("vpp", plan.vpp, "interleaves the stages of a pipeline; use pp from 2");
  }
  const std::int64_t chunks = plan.pp * plan.vpp;
  if (chunks > llm.LayerCount()) {
    Refuse("vpp",
           plan.vpp,
           "makes " + std::to_string(chunks) + " chunks of the " +
               std::to_string(llm.LayerCount()) + " layers of " + Printable(llm.name) +
               "; use at most " + std::to_string(llm.LayerCount() / plan.pp));
  }
  if (plan.stage_layers.empty()) return;
  const auto count = static_cast<std::int64_t>(plan.stage_layers.size());
  const bool negative = std::any_of(
      plan.stage_layers.begin(), plan.stage_layers.end(), [](std::int64_t n) { return n < 0; });
  const std::int64_t layers =
      negative ? -1 : std::accumulate(plan.stage_layers.begin(), plan.stage_layers.end(), 0L);
  if (count != chunks || layers != llm.LayerCount()) {
    const std::string given =
        negative ? "a stage has less than no layers" : std::to_string(layers) + " layers in all";
    throw ArgumentError("stages: " + given + " on " + std::to_string(count) +
                        " stages; list what each of " + std::to_string(chunks) + " has of the " +
                        std::to_string(llm.LayerCount()) + " layers of " + Printable(llm.name));
  }
}

void CheckExperts(const Llm& llm, const Plan& plan) {
  internal::RequirePositive("ep", plan.ep);
  if (plan.moe_tp < 0) Refuse("moe-tp", plan.moe_tp, "needs a whole number from 1");
  if (plan.ep == 1 && plan.moe_tp == 0) return;
  bool has_experts = false;
  for (const Layer& layer : llm.kinds) {
    if (!layer.ffn.IsMoe()) continue;
    has_experts = true;
    if (layer.ffn.experts % plan.ep != 0) {
      Refuse("ep",
             plan.ep,
             "does not divide " + std::to_string(layer.ffn.experts) + " experts of " +
                 Printable(llm.name) + "; use a divisor");
    }
    if (layer.ffn.width % MoeTpOf(plan) != 0) {
      Refuse("moe-tp",
             MoeTpOf(plan),
             "does not divide the experts' width " + std::to_string(layer.ffn.width) +
                 "; use a divisor");
    }
  }
  if (!has_experts) {
    Refuse("ep", plan.ep, Printable(llm.name) + " has no experts; leave ep and moe-tp out");
  }
  if (plan.tp % MoeTpOf(plan) != 0) {
    Refuse("moe-tp", MoeTpOf(plan), "does not divide " + Times("tp", plan.tp) + "; use a divisor");
  }
  if (plan.tp > 1 && MoeTpOf(plan) < plan.tp && !plan.sequence_parallel) {
    Refuse("ep",
           plan.ep,
           "needs sequence parallelism with " + Times("tp", plan.tp) +
               ", which deals the tokens to the experts; leave --no-sequence-parallel out");
  }
  const std::int64_t ranks = plan.tp * plan.cp * plan.dp;
  if (ranks % (MoeTpOf(plan) * plan.ep) != 0) {
    Refuse("ep",
           plan.ep,
           "times moe-tp " + std::to_string(MoeTpOf(plan)) + " does not divide tp x cp x dp = " +
               std::to_string(ranks) + ", which it is carved out of; use a divisor");
  }
}

// States of experts are sharded within the same ranks as the rest, so that ep must go into them.
void CheckShard(const Plan& plan) {
  const std::int64_t ranks = plan.dp * plan.cp;
  if (plan.shard < 0 || (plan.shard > 0 && ranks % plan.shard != 0)) {
    Refuse("shard",
           plan.shard,
           "does not divide dp x cp = " + std::to_string(ranks) +
               "; use a divisor, or leave it out to shard over all of them");
  }
  if (plan.shard > 0 && plan.zero == 0) {
    Refuse("shard", plan.shard, "says how far ZeRO shards; use it with zero 1, 2 or 3");
  }
  const std::int64_t experts = MoeTpOf(plan) * plan.ep;
  if (plan.shard > 0 && plan.ep > 1 && (plan.tp * plan.shard) % experts != 0) {
    Refuse("shard",
           plan.shard,
           "times tp is no multiple of moe-tp x ep = " + std::to_string(experts) +
               "; use one that is");
  }
}

}  // namespace

std::int64_t MoeTpOf(const Plan& plan) {
  if (plan.moe_tp > 0) return plan.moe_tp;
  return plan.ep == 1 ? plan.tp : 1;
}

std::int64_t ShardRanks(const Plan& plan) {
  if (plan.zero == 0) return 1;
  return plan.shard > 0 ? plan.shard : plan.dp * plan.cp;
}

std::int64_t ExpertShardRanks(const Plan& plan) {
  return std::max<std::int64_t>(1, plan.tp * ShardRanks(plan) / (MoeTpOf(plan) * plan.ep));
}

Plan SettleTrainingPlan(const Llm& llm, const Cluster& cluster, Plan plan) {
  internal::CheckShape(llm, plan);
  internal::RequirePositive("cp", plan.cp);
  internal::RequirePositive("vpp", plan.vpp);
  CheckZero(plan);
  CheckStages(llm, plan);
  if (plan.replicas > 0) {
    Refuse("replicas", plan.replicas, "are copies for serving; use dp in training");
  }
  const std::int64_t model = plan.tp * plan.pp * plan.cp;
  if (model > cluster.devices || cluster.devices % model != 0) {
    throw ArgumentError("plan: " + Product(plan) + " = " + std::to_string(model) +
                        " devices do not divide the " + std::to_string(cluster.devices) + " of " +
                        cluster.name + "; dp = devices / (tp pp" + (plan.cp > 1 ? " cp" : "") +
                        ") must be whole");
  }
  const std::int64_t dp = cluster.devices / model;
  if (plan.dp != 0 && plan.dp != dp) {
    Refuse("dp",
           plan.dp,
           Product(plan) + " leaves dp " + std::to_string(dp) + " on the " +
               std::to_string(cluster.devices) + " devices of " + cluster.name +
               "; use that or leave dp out");
  }
  plan.dp = dp;
  CheckExperts(llm, plan);
  CheckShard(plan);
  if (!plan.stages) plan.stages = StageRule::kEven;
  return plan;
}

}  // namespace roofcast
