// SPDX-License-Identifier: Apache-2.0
#include "models/steps/json.h"

#include <cmath>

#include "core/embedded.h"
#include "core/version.h"

namespace roofcast {
namespace {

Json CountsOf(const std::map<std::string, std::int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json ToJson(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"level", interval->level},
          {"low_s", interval->low.value()},
          {"high_s", interval->high.value()}};
}

Json ToJson(const std::vector<UsedSource>& sources) {
  Json json = Json::array();
  for (const UsedSource& source : sources) {
    json.push_back({{"name", source.name},
                    {"kind", NameOf(source.kind)},
                    {"from", source.from},
                    {"place", source.place}});
  }
  return json;
}

Json ToJson(const Plan& plan) {
  const std::optional<std::string> stages = StagesText(plan);
  return {{"tp", plan.tp},
          {"pp", plan.pp},
          {"dp", plan.dp},
          {"replicas", plan.replicas},
          {"micro_batch", plan.micro_batch},
          {"zero", plan.zero},
          {"recompute", NameOf(plan.recompute)},
          {"sequence_parallel", plan.sequence_parallel},
          {"cp", plan.cp},
          {"ep", plan.ep},
          {"moe_tp", MoeTpOf(plan)},
          {"vpp", plan.vpp},
          {"shard", plan.shard},
          {"stages", stages ? Json(*stages) : Json(nullptr)}};
}

}  // namespace

Json DocumentHeader(const std::string& verb) {
  return {{"schema", "roofcast/1"},
          {"version", kVersion},
          {"catalog_hash", EmbeddedHash("catalog")},
          {"fits_hash", EmbeddedHash("fits")},
          {"verb", verb}};
}

Json ToJson(const Node& node) {
  Json json = {{"name", node.name}, {"kind", NameOf(node.kind)}};
  if (node.kind == NodeKind::kBytes) {
    json["bytes"] = node.bytes.value();
  } else {
    json["time_s"] = node.time.value();
    json["hidden_s"] = node.hidden.value();
    json["bound"] = NameOf(node.bound);
    json["count"] = node.count;
    json["mode"] = NameOf(node.mode);
    if (!node.family.empty()) {
      json["interval"] = {
          {"level", 0.9}, {"low_s", node.low.value()}, {"high_s", node.high.value()}};
      if (node.expected_error > 0) json["expected_error_percent"] = node.expected_error;
    }
  }
  Json children = Json::array();
  for (const Node& child : node.children) children.push_back(ToJson(child));
  json["children"] = std::move(children);
  return json;
}

Json ToJson(const ParameterCounts& parameters) {
  return {{"total", parameters.total},
          {"extra", CountsOf(parameters.extra)},
          {"checkpoint_total", parameters.checkpoint_total},
          {"active_with_embeddings", parameters.active_with_embeddings},
          {"active_without_input_embedding", parameters.active_without_input_embedding},
          {"by_part", CountsOf(parameters.by_part)},
          {"by_dtype", CountsOf(parameters.by_dtype)},
          {"checkpoint_bytes", parameters.checkpoint_bytes.value()}};
}

namespace {

Json ToJson(const KvReport& kv) {
  Json by_policy = Json::object();
  for (const KvPolicyBytes& row : kv.by_policy) by_policy[row.name] = row.request.value();
  Json json = {{"policy", NameOf(kv.layout.policy)},
               {"latent_form", NameOf(kv.layout.latent)},
               {"block_size", kv.layout.block},
               {"bytes_per_request", kv.request.value()},
               {"fixed_bytes_per_request", kv.fixed.value()},
               {"bytes_per_further_token", kv.per_token.value()},
               {"by_policy", std::move(by_policy)},
               {"pool_bytes", kv.pool.value()},
               {"sequences_of_length", kv.concurrency},
               {"engine", nullptr}};
  if (kv.engine.empty()) return json;
  json["engine"] = {{"name", kv.engine},
                    {"memory_fraction", kv.memory_fraction},
                    {"max_batched_tokens", kv.batched_tokens},
                    {"max_sequences", kv.sequences},
                    {"blocks", kv.blocks}};
  return json;
}

Json TrainingOf(const MemoryReport& memory) {
  Json stages = Json::array();
  for (const StagePeak& peak : memory.stages) {
    stages.push_back({{"stage", peak.stage},
                      {"phase", NameOf(peak.phase)},
                      {"bytes", peak.bytes.value()},
                      {"allocated_bytes", peak.allocated.value()}});
  }
  return {{"phase", NameOf(*memory.phase)},
          {"verdict", NameOf(memory.verdict)},
          {"logged_bytes", memory.logged ? Json(memory.logged->value()) : Json(nullptr)},
          {"stages", std::move(stages)}};
}

}  // namespace

Json ToJson(const MemoryReport& memory) {
  Json kv = {{"bytes_per_token", memory.kv_bytes_per_token.value()},
             {"tokens", memory.kv_tokens},
             {"concurrency", memory.kv_concurrency},
             {"length", memory.kv_length}};
  if (memory.kv_length > 0) kv.update(ToJson(memory.kv));
  return {{"training", memory.phase ? TrainingOf(memory) : Json(nullptr)},
          {"parameters", ToJson(memory.parameters)},
          {"bytes", ToJson(memory.bytes)},
          {"stage", memory.rank_stage},
          {"capacity_bytes", memory.capacity.value()},
          {"headroom_bytes", memory.headroom.value()},
          {"kv", std::move(kv)}};
}

Json ToJson(const StepTime& step) {
  Json json = DocumentHeader(step.verb);
  json["fits_hash"] = step.fits_hash;
  json["model"] = step.model;
  json["cluster"] = step.cluster;
  json["plan"] = FormatPlan(step.plan);
  json["degrees"] = ToJson(step.plan);
  json["load"] = step.load;
  json["fits"] = step.fits;
  json["why"] = step.why;
  if (IsMemoryVerb(step.verb)) {
    json.update(ToJson(step.memory));
  } else {
    json["time_s"] = step.time.value();
    json["interval"] = ToJson(step.interval);
    json["bound"] = NameOf(step.bound);
    json["tokens"] = std::round(step.tokens_per_s * step.time.value());  // a whole number
    json["tokens_per_s"] = step.tokens_per_s;
    json["tokens_per_s_per_device"] = step.tokens_per_s_per_device;
    json["mfu"] = step.mfu ? Json(*step.mfu) : Json(nullptr);
    json["hfu"] = step.hfu ? Json(*step.hfu) : Json(nullptr);
    json["flops_convention"] = step.mfu ? Json(step.flops_convention) : Json(nullptr);
    json["model_flops"] = step.mfu ? Json(step.model_flops.value()) : Json(nullptr);
    json["breakdown"] = ToJson(step.breakdown);
    json["memory"] = ToJson(step.memory);
  }
  json["sources"] = ToJson(step.sources);
  json["extrapolated"] = step.extrapolated;
  json["assumptions"] = step.assumptions;
  return json;
}

}  // namespace roofcast
