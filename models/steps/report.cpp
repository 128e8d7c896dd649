// SPDX-License-Identifier: Apache-2.0
#include "models/steps/report.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/units.h"
#include "models/steps/report_text.h"

namespace roofcast {
namespace {

std::string ShortName(const std::string& verb) {
  return IsMemoryVerb(verb) ? "memory" : verb.substr(verb.rfind(' ') + 1);
}

std::string PlanText(const StepTime& step) {
  std::string text = FormatPlan(step.plan);
  if (step.plan.replicas > 1) text += ", " + FormatCounted(step.plan.replicas, "replica");
  return text;
}

// What stands beside the verb in the first line.
std::string AnswerOf(const StepTime& step) {
  std::string text = step.model + " on " + step.cluster + ", " + PlanText(step) + ": ";
  if (!step.fits) text += "does not fit, " + FormatGib(-step.memory.headroom) + " over";
  if (step.verb == "memory" && step.fits && !step.memory.kv.engine.empty()) {
    return text + FormatGib(step.memory.kv.pool) +
           " of KV cache on the fullest device: " + FormatCounted(step.memory.kv_tokens, "token");
  }
  if (IsMemoryVerb(step.verb)) {
    return step.fits ? text + FormatGib(step.memory.bytes.bytes) + " of " +
                           FormatGib(step.memory.capacity) + " on the fullest device"
                     : text;
  }
  if (!step.fits) text += "; if it did: ";
  return text + FormatStepTime(step.time) +
         (step.verb == "predict prefill" ? " to the first token" : " a step") + ", " +
         FormatThousands(step.tokens_per_s) + " tokens/s, limited by " +
         std::string(NameOf(step.bound));
}

// What a sequence takes under each policy, where they differ, and its two parameters.
void AddPolicies(std::string& out, const MemoryReport& memory) {
  const KvReport& kv = memory.kv;
  if (kv.by_policy.size() > 1) {
    std::string text = "a sequence of " + FormatThousands(static_cast<double>(memory.kv_length));
    std::string_view separator = ": ";
    for (const KvPolicyBytes& row : kv.by_policy) {
      text += std::string(separator) + FormatGib(row.request) + " " + row.name;
      separator = ", ";
    }
    AddLabelled(out, "", text + "; counted: " + kv.name);
  }
  if (kv.fixed > Bytes(0)) {
    AddLabelled(out,
                "",
                "a long sequence: " + FormatGib(kv.fixed) + " whatever its length, " +
                    FormatGib(kv.per_token) + " a token more");
  }
}

// What the other stages of a pipeline need: "; stages 60.3, 41.0 GiB".
std::string StagesText(const MemoryReport& memory) {
  constexpr std::size_t kMostShown = 16;
  if (memory.stages.size() < 2) return "";
  std::string text = "; by stage ";
  for (std::size_t i = 0; i < std::min(memory.stages.size(), kMostShown); ++i) {
    text += (i == 0 ? "" : ", ") + FormatGib(memory.stages[i].bytes);
  }
  return text + (memory.stages.size() > kMostShown ? ", ..." : "");
}

void AddFit(std::string& out, const StepTime& step) {
  const MemoryReport& memory = step.memory;
  for (const std::string& why : step.why) AddLabelled(out, "memory", why);
  if (step.fits) {
    std::string text = "fits: " + FormatGib(memory.bytes.bytes) + " of " +
                       FormatGib(memory.capacity) + " on the fullest device";
    if (step.plan.pp > 1) text += " (stage " + std::to_string(memory.rank_stage) + ")";
    if (memory.verdict == MemoryVerdict::kTight) text += ", tight";
    AddLabelled(out,
                "memory",
                memory.kv.engine.empty() ? text + ", " + FormatGib(memory.headroom) + " free"
                                         : text + ", KV cache " + FormatGib(memory.kv.pool));
  }
  if (memory.phase && IsMemoryVerb(step.verb)) {
    AddLabelled(out, "fullest", std::string(NameOf(*memory.phase)) + " phase" + StagesText(memory));
    if (memory.logged) {
      AddLabelled(out, "logged", FormatGib(*memory.logged) + " as the framework itself reports it");
    }
  }
  if (memory.kv_length > 0 && memory.kv_bytes_per_token == Bytes(0)) {
    AddLabelled(out, "kv", "none: no layer keeps keys and values");
  } else if (memory.kv_length > 0) {
    AddLabelled(out,
                "kv",
                FormatGib(memory.kv_bytes_per_token) + " a token on that device; room for " +
                    FormatCounted(memory.kv_tokens, "token") + ": " +
                    FormatCounted(memory.kv_concurrency, "sequence") + " of " +
                    FormatThousands(static_cast<double>(memory.kv_length)));
    AddPolicies(out, memory);
  }
}

void AddCertainty(std::string& out, const StepTime& step) {
  if (step.interval) {
    AddLabelled(out,
                "interval",
                FormatPercent(step.interval->level) + " between " + Format(step.interval->low) +
                    " and " + Format(step.interval->high));
  } else {
    AddLabelled(out, "interval", "not measured yet: the error of whole steps has not been taken");
  }
  for (const std::string& input : step.extrapolated) {
    AddLabelled(out, "beyond", input);
  }
}

void AddAssumptions(std::string& out, const StepTime& step) {
  std::string_view label = "assumed";
  for (const auto& [name, text] : step.assumptions) {
    std::string line = name;
    line.append(": ").append(text);
    AddLabelled(out, label, line);
    label = "";
  }
}

// Figures of one block under one name: "h100-sxm memory.bandwidth, coefficients of gemm (4)".
std::string GatherByBlock(const std::vector<std::string>& names) {
  constexpr std::string_view kCoefficients = " coefficients.";
  std::vector<std::pair<std::string, std::int64_t>> blocks;
  for (const std::string& name : names) {
    std::string block = name;
    if (const auto at = name.find(kCoefficients); at != std::string::npos) {
      const std::string family = name.substr(at + kCoefficients.size());
      block = "coefficients of " + family.substr(0, family.find('.'));
    }
    if (blocks.empty() || blocks.back().first != block) blocks.emplace_back(block, 0);
    ++blocks.back().second;
  }
  constexpr std::size_t kMostNamed = 16;
  std::string text;
  bool of = false;
  for (std::size_t i = 0; i < std::min(blocks.size(), kMostNamed); ++i) {
    std::string name = blocks[i].first;
    const bool family = name.starts_with(kCoefficients.substr(1, kCoefficients.size() - 2));
    if (family && of) name = name.substr(name.rfind(' ') + 1);
    of = of || family;
    text += (i == 0 ? "" : ", ") + name;
    if (blocks[i].second > 1) text += " (" + std::to_string(blocks[i].second) + ")";
  }
  if (blocks.size() > kMostNamed) text += ", ... (--json names all)";
  return text;
}

void AddSources(std::string& out, const StepTime& step) {
  if (step.sources.empty()) return;
  std::string text = FormatCounted(static_cast<std::int64_t>(step.sources.size()), "figure");
  std::string_view separator = ": ";
  for (const std::string& kind : SourceKindNames()) {
    const auto count = std::count_if(step.sources.begin(), step.sources.end(), [&](const auto& s) {
      return NameOf(s.kind) == kind;
    });
    if (count == 0) continue;
    text += std::string(separator) + std::to_string(count) + " " + kind;
    separator = ", ";
  }
  AddLabelled(out, "sources", text);
  std::vector<std::string> assumed;
  for (const UsedSource& source : step.sources) {
    if (source.kind == SourceKind::kAssumed) assumed.push_back(source.name);
  }
  if (!assumed.empty()) AddLabelled(out, "", "assumed: " + GatherByBlock(assumed));
}

}  // namespace

std::string FormatAnswer(const StepTime& step) {
  return Printable(ShortName(step.verb) + "  " + AnswerOf(step));
}

std::string FormatReport(const StepTime& step) {
  std::string out;
  AddLabelled(out, ShortName(step.verb), AnswerOf(step));
  out += "\n";
  AddLabelled(out, "load", step.load);
  AddFit(out, step);
  if (IsMemoryVerb(step.verb)) {
    const ParameterCounts& counts = step.memory.parameters;
    AddLabelled(out,
                "weights",
                FormatCount(static_cast<double>(counts.total)) + " parameters, " +
                    FormatCount(static_cast<double>(counts.active_with_embeddings)) +
                    " active a token, embeddings included");
  } else {
    AddCertainty(out, step);
    if (step.mfu) {
      std::string text = FormatPercent(*step.mfu) + " by " + step.flops_convention;
      if (step.hfu > step.mfu)
        text += "; HFU, recomputed work counted, " + FormatPercent(*step.hfu);
      AddLabelled(out, "mfu", text);
    }
  }
  AddAssumptions(out, step);
  if (!IsMemoryVerb(step.verb)) out += "\n" + FormatBreakdown(step);
  out += "\n" + FormatMemory(step.memory) + "\n";
  AddSources(out, step);
  return out;
}

}  // namespace roofcast
