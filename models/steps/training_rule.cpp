// SPDX-License-Identifier: Apache-2.0
#include "models/steps/training_rule.h"

#include <string>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

// Mixed precision with nothing that a framework adds.
constexpr std::string_view kNeutral = "mixed-precision";

const Engine& NeutralEngine() {
  static const Engine engine = LoadEngine(kNeutral);
  return engine;
}

}  // namespace

const Engine& TrainingEngineOf(const Options& options) {
  const Engine& engine = options.engine != nullptr ? *options.engine : NeutralEngine();
  if (engine.training) return engine;
  throw ArgumentError("engine=" + Printable(engine.name) +
                      ": has no 'training' block; use one that trains, as nanotron, or leave it "
                      "out");
}

TrainingRule SettleTrainingRule(const Options& options, const Fit& fit, StepTime& step) {
  const Engine& engine = TrainingEngineOf(options);
  TrainingRule rule = *engine.training;
  const TrainingChoice& choice = options.training;
  if (choice.optimizer) rule.optimizer = *choice.optimizer;
  if (choice.attention) rule.attention = *choice.attention;
  if (choice.gradients) rule.gradients = *choice.gradients;
  if (choice.moments) rule.moments = *choice.moments;
  if (choice.master) rule.master = *choice.master;
  if (choice.no_master) rule.master.reset();
  if (choice.loss_chunk) {
    if (*choice.loss_chunk < 1) {
      throw ArgumentError("loss-chunk=" + std::to_string(*choice.loss_chunk) +
                          ": needs a whole number of tokens from 1; leave it out to take the loss "
                          "of a micro-batch at once");
    }
    rule.loss_chunk = choice.loss_chunk;
  }
  if (!rule.runtime) rule.runtime = fit.coefficients.memory.runtime;
  for (const auto& [path, source] : engine.sources) {
    step.sources.push_back(
        {engine.name + " " + path, source.kind, source.key, Format(source.place)});
  }
  step.assumptions["training"] = "'" + engine.name + "': " + engine.title;
  return rule;
}

Precision WithRule(Precision precision, const TrainingRule& rule) {
  precision.gradients = rule.gradients;
  precision.communication = rule.gradients;
  precision.optimizer = rule.moments;
  return precision;
}

}  // namespace roofcast
