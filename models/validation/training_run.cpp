// SPDX-License-Identifier: Apache-2.0
#include "models/validation/training_run.h"

#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::int64_t kLargest = 1'000'000'000;
constexpr std::int64_t kMostStages = 512;  // each costs time, and no pipeline is as long

[[noreturn]] void Refuse(std::string_view fact, std::string_view why) {
  throw ArgumentError(std::string(fact) + ": " + std::string(why));
}

const std::string& Needed(const Facts& facts, std::string_view fact) {
  const std::string& text = facts.Text(fact);
  if (text.empty()) Refuse(fact, "not recorded, and nothing implies it");
  return text;
}

// A whole number from `least`; tables that went through a data frame write 128.0.
std::int64_t NumberOf(std::string_view fact, std::string_view text, std::int64_t least) {
  std::optional<std::int64_t> value = ParseInteger(text);
  if (!value && text.ends_with(".0")) value = ParseInteger(text.substr(0, text.size() - 2));
  if (!value || *value < least || *value > kLargest) {
    Refuse(fact, "not a whole number that it could be");
  }
  return *value;
}
std::int64_t Count(const Facts& facts, std::string_view fact, std::int64_t least = 1) {
  return NumberOf(fact, Needed(facts, fact), least);
}

bool YesOrNo(const Facts& facts, std::string_view fact) {
  const std::string& text = Needed(facts, fact);
  if (text == "True" || text == "true") return true;
  if (text != "False" && text != "false") Refuse(fact, "neither True nor False");
  return false;
}

template <NamedEnum E>
E WordOf(const Facts& facts, std::string_view fact) {
  const auto word = FindEnum<E>(Needed(facts, fact));
  if (!word) Refuse(fact, "not one of the words that are modelled");
  return *word;
}

DType FormatOf(const Facts& facts) {
  const auto dtype = FindDType(Needed(facts, "precision"));
  if (!dtype || (*dtype != DType::kBf16 && *dtype != DType::kFp16)) {
    Refuse("precision", "only bf16 and fp16 are modelled");
  }
  return *dtype;
}

DenseShape ShapeOf(const Facts& facts) {
  return {.layers = Count(facts, "layers"),
          .hidden = Count(facts, "hidden"),
          .heads = Count(facts, "heads"),
          .kv_heads = Count(facts, "kv_heads"),
          .ffn = Count(facts, "ffn"),
          .vocabulary = Count(facts, "vocab")};
}

Plan PlanOf(const Facts& facts, std::int64_t devices) {
  Plan plan;
  plan.tp = Count(facts, "tp");
  plan.pp = Count(facts, "pp");
  plan.cp = Count(facts, "cp");
  plan.ep = Count(facts, "ep");
  plan.vpp = Count(facts, "vpp");
  plan.dp = Count(facts, "dp");
  plan.micro_batch = Count(facts, "mbs");
  plan.zero = Count(facts, "zero", 0);
  plan.recompute = WordOf<Recompute>(facts, "recompute");
  plan.stages = WordOf<StageRule>(facts, "stage_rule");
  plan.sequence_parallel = YesOrNo(facts, "sequence_parallel");
  if (plan.cp != 1 || plan.ep != 1 || plan.vpp != 1 || plan.zero > 1) {
    Refuse("plan", "cp, ep, vpp and ZeRO beyond 1 are not predicted yet");
  }
  if (plan.pp > kMostStages) Refuse("pp", "more stages than any pipeline has");
  // Checked by division: the product of the degrees in a broken row may be beyond any integer.
  std::int64_t left = devices;
  for (const std::int64_t degree : {plan.tp, plan.pp, plan.dp}) {
    if (left % degree != 0) Refuse("num_gpus", "not tp x pp x dp");
    left /= degree;
  }
  if (left != 1) Refuse("num_gpus", "not tp x pp x dp");
  return plan;
}

std::int64_t MicroBatchesOf(const Facts& facts, const Plan& plan) {
  if (facts.Has("micro_batches")) return Count(facts, "micro_batches");
  const std::int64_t batch = Count(facts, "gbs");
  const std::int64_t each = plan.dp * plan.micro_batch;
  if (batch % each != 0) Refuse("gbs", "not a multiple of dp x mbs");
  return batch / each;
}

}  // namespace

TrainingRun ReadTrainingRun(const Facts& facts) {
  TrainingRun run;
  run.engine = facts.Text("engine");
  if (run.engine.empty()) {
    Refuse("source", "which framework ran, and what its figures mean, is not known of it");
  }
  run.shape = ShapeOf(facts);
  run.llm =
      LlamaLike(facts.Text("model"), run.shape, YesOrNo(facts, "tied_embeddings"), FormatOf(facts));
  run.devices = Count(facts, "num_gpus");
  run.plan = PlanOf(facts, run.devices);
  run.sequence = Count(facts, "seq");
  run.micro_batches = MicroBatchesOf(facts, run.plan);
  return run;
}

}  // namespace roofcast
