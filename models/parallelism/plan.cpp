// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/plan.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "models/parallelism/check_plan.h"

namespace roofcast {
namespace {

// The degrees of a plan by the names that they are written with.
struct Degree {
  std::string_view name;
  std::int64_t Plan::*member;
};
constexpr std::array kDegrees = {Degree{"tp", &Plan::tp},
                                 Degree{"pp", &Plan::pp},
                                 Degree{"dp", &Plan::dp},
                                 Degree{"cp", &Plan::cp},
                                 Degree{"ep", &Plan::ep},
                                 Degree{"vpp", &Plan::vpp}};
// Of any degree, so that their products stay whole numbers.
constexpr std::int64_t kLargestDegree = 1'000'000;

// Why a tensor-parallel degree can't be used; empty when it can.
std::string ObstacleToTp(const Llm& llm, std::int64_t tp) {
  for (const Layer& layer : llm.kinds) {
    const AttentionLayer& attention = layer.attention;
    if (attention.heads % tp != 0) {
      return "does not divide " + std::to_string(attention.heads) + " query heads";
    }
    const bool grouped = !attention.IsNone() && attention.kind != AttentionKind::kLatent;
    if (grouped && attention.kv_heads % tp != 0 && tp % attention.kv_heads != 0) {
      return "neither divides " + std::to_string(attention.kv_heads) +
             " KV heads nor is a multiple of them";
    }
    const RecurrentLayer& recurrent = layer.recurrent;
    if (recurrent.heads % tp != 0) {
      return "does not divide " + std::to_string(recurrent.heads) + " recurrent heads";
    }
    // As vLLM has it: groups of keys are split, and only a single one is copied.
    if (recurrent.key_heads > 1 && recurrent.key_heads % tp != 0) {
      return "does not divide " + std::to_string(recurrent.key_heads) + " recurrent groups";
    }
    if (layer.ffn.width % tp != 0) {
      return "does not divide the FFN width " + std::to_string(layer.ffn.width);
    }
    if (layer.ffn.shared_width % tp != 0) {
      return "does not divide the shared experts' width " + std::to_string(layer.ffn.shared_width);
    }
  }
  return "";
}

}  // namespace

namespace internal {

void RequirePositive(std::string_view name, std::int64_t value) {
  if (value >= 1 && value <= kLargestDegree) return;
  throw ArgumentError(std::string(name) + "=" + std::to_string(value) +
                      ": needs a whole number from 1 to 1000000; leave it out for the default");
}

void CheckShape(const Llm& llm, const Plan& plan) {
  RequirePositive("tp", plan.tp);
  RequirePositive("pp", plan.pp);
  RequirePositive("micro-batch", plan.micro_batch);
  const std::string obstacle = ObstacleToTp(llm, plan.tp);
  if (!obstacle.empty()) {
    std::vector<std::string> legal;
    constexpr std::int64_t kMostListed = 128;
    for (const std::int64_t tp : LegalTp(llm, kMostListed)) legal.push_back(std::to_string(tp));
    throw ArgumentError("tp=" + std::to_string(plan.tp) + ": " + obstacle + " of " +
                        Printable(llm.name) + "; use " + JoinWithOr(legal));
  }
  if (plan.pp > llm.LayerCount()) {
    throw ArgumentError("pp=" + std::to_string(plan.pp) + ": more stages than the " +
                        std::to_string(llm.LayerCount()) + " layers of " + Printable(llm.name) +
                        "; use at most " + std::to_string(llm.LayerCount()));
  }
}

}  // namespace internal

namespace {

std::string Product(const Plan& plan) {
  return "tp " + std::to_string(plan.tp) + " x pp " + std::to_string(plan.pp);
}

void RefuseDegree(std::string_view name, std::int64_t value, std::string_view why) {
  if (value == 1) return;
  throw ArgumentError(std::string(name) + "=" + std::to_string(value) + ": " + std::string(why));
}

}  // namespace

std::string FormatPlan(const Plan& plan) {
  std::string text;
  for (const Degree& degree : kDegrees) {
    const std::int64_t value = plan.*degree.member;
    if (value <= 1) continue;
    text += (text.empty() ? "" : "-") + std::string(degree.name) + std::to_string(value);
  }
  return text.empty() ? "tp1" : text;
}

Plan ParsePlan(std::string_view text) {
  Plan plan;
  std::vector<std::string_view> given;
  for (const std::string& part : Split(text, '-')) {
    const auto degree = std::find_if(kDegrees.begin(), kDegrees.end(), [&](const Degree& d) {
      return part.starts_with(d.name);
    });
    const auto value = degree == kDegrees.end()
                           ? std::nullopt
                           : ParseInteger(std::string_view(part).substr(degree->name.size()));
    if (!value || *value < 1) {
      throw ArgumentError("plan: '" + Printable(part) + "' in '" + Printable(text) +
                          "' is not a degree; write tp, pp, dp, cp, ep or vpp with a "
                          "number, as tp8-pp4-dp2");
    }
    if (std::find(given.begin(), given.end(), degree->name) != given.end()) {
      throw ArgumentError("plan: " + std::string(degree->name) + " is given twice in '" +
                          Printable(text) + "'; keep one");
    }
    given.push_back(degree->name);
    plan.*degree->member = *value;
  }
  return plan;
}

void SetStages(const std::string& text, Plan& plan) {
  if (const auto rule = FindEnum<StageRule>(text)) {
    plan.stages = rule;
    return;
  }
  std::vector<std::int64_t> stage_layers;
  for (const std::string& part : Split(text, ',')) {
    const auto layers = ParseInteger(part);
    if (!layers || *layers < 0) {
      throw ArgumentError("stages: '" + Printable(text) +
                          "' is neither a rule nor a list of layers; use " +
                          JoinWithOr(EnumWords<StageRule>()) + ", or as 20,20,21,19");
    }
    stage_layers.push_back(*layers);
  }
  plan.stage_layers = std::move(stage_layers);
}

std::optional<std::string> StagesText(const Plan& plan) {
  if (plan.stage_layers.empty()) {
    if (!plan.stages) return std::nullopt;
    return std::string(NameOf(*plan.stages));
  }
  std::string text;
  for (const std::int64_t layers : plan.stage_layers) {
    text += (text.empty() ? "" : ",") + std::to_string(layers);
  }
  return text;
}

std::vector<std::int64_t> LegalTp(const Llm& llm, std::int64_t most) {
  std::vector<std::int64_t> legal;
  for (std::int64_t tp = 1; tp <= most; ++tp) {
    if (ObstacleToTp(llm, tp).empty()) legal.push_back(tp);
  }
  return legal;
}

Plan SettleServingPlan(const Llm& llm, const Cluster& cluster, Plan plan) {
  internal::CheckShape(llm, plan);
  RefuseDegree("cp", plan.cp, "is not modelled in serving; leave it out");
  RefuseDegree("ep", plan.ep, "is not modelled in serving; leave it out");
  RefuseDegree("vpp", plan.vpp, "is for training; leave it out");
  if (plan.dp != 0 && plan.dp != 1) {
    throw ArgumentError("dp=" + std::to_string(plan.dp) +
                        ": attention data parallelism is not modelled; use replicas for "
                        "independent copies");
  }
  const std::int64_t model = plan.tp * plan.pp;
  if (model > cluster.devices) {
    throw ArgumentError("plan: " + Product(plan) + " = " + std::to_string(model) +
                        " devices are more than the " + std::to_string(cluster.devices) + " of " +
                        cluster.name + "; use a smaller plan or a larger cluster");
  }
  const std::int64_t most = cluster.devices / model;
  if (plan.replicas < 0 || plan.replicas > most) {
    throw ArgumentError("replicas=" + std::to_string(plan.replicas) + ": " +
                        std::to_string(cluster.devices) + " devices hold " + std::to_string(most) +
                        " copies of " + Product(plan) + "; use at most that");
  }
  plan.dp = 1;
  if (plan.replicas == 0) plan.replicas = most;
  return plan;
}

Group TpGroup(const Plan& plan) {
  return {plan.tp, 1};
}
Group DpGroup(const Plan& plan) {
  return {plan.dp, plan.tp};
}
Group PpGroup(const Plan& plan) {
  return {plan.pp, plan.tp * plan.dp};
}

}  // namespace roofcast
