// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/text.h"
#include "models/steps/admission.h"
#include "models/steps/report_text.h"

namespace roofcast {
namespace {

std::string BaseText(BudgetBase base) {
  switch (base) {
    case BudgetBase::kTotal:
      return "of all memory for weights, activations and KV cache";
    case BudgetBase::kFreeAtStart:
      return "of what is free at the start for weights and KV cache";
    case BudgetBase::kFreeAfterProfiling:
      return "of what is free after a profiled pass for the KV cache";
  }
  return "";
}

}  // namespace

void NoteEngine(const Engine& engine, StepTime& step) {
  const KvReport& kv = step.memory.kv;
  step.assumptions["engine"] = engine.title + ": " + FormatExact(kv.memory_fraction) + " " +
                               BaseText(engine.admission->fraction_of) + ", " +
                               FormatThousands(Number(kv.batched_tokens)) +
                               " tokens a pass, at most " + FormatCounted(kv.sequences, "sequence");
  step.assumptions["kv"] = "policy " + std::string(NameOf(kv.layout.policy)) + ", latents " +
                           std::string(NameOf(kv.layout.latent)) + ", blocks of " +
                           FormatCounted(kv.layout.block, "token");
  // The runtime of the coefficients is what the rule states line by line.
  std::erase_if(step.sources, [](const UsedSource& source) {
    return source.name.ends_with("coefficients.memory.runtime");
  });
  for (const auto& [path, source] : engine.sources) {
    step.sources.push_back(
        {engine.name + " " + path, source.kind, source.key, Format(source.place)});
  }
}

}  // namespace roofcast
