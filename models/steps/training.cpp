// SPDX-License-Identifier: Apache-2.0
#include "models/steps/training.h"

#include <string>
#include <utility>

#include "core/error.h"
#include "models/steps/report_text.h"
#include "models/steps/settle.h"
#include "models/steps/training_memory.h"
#include "models/steps/training_rule.h"

namespace roofcast {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;
constexpr std::int64_t kMostSequences = 10'000'000;

std::string LoadText(const TrainLoad& load, const Plan& plan) {
  return FormatCounted(load.global_batch, "sequence") + " of " + std::to_string(load.sequence) +
         " tokens in micro-batches of " + std::to_string(plan.micro_batch) + ", ZeRO-" +
         std::to_string(plan.zero) +
         (plan.shard > 0 ? " over " + std::to_string(plan.shard) + " ranks" : "") + ", recompute " +
         std::string(NameOf(plan.recompute)) +
         (plan.tp == 1             ? ""
          : plan.sequence_parallel ? ", sequence parallel"
                                   : ", no sequence parallelism");
}

}  // namespace

std::int64_t MicroBatchesOf(const Plan& plan, std::int64_t global_batch) {
  const std::int64_t slice = plan.dp * plan.micro_batch;
  if (global_batch % slice != 0) {
    throw ArgumentError("global-batch=" + std::to_string(global_batch) +
                        ": is not a multiple of dp " + std::to_string(plan.dp) + " x micro-batch " +
                        std::to_string(plan.micro_batch) + "; use a multiple of " +
                        std::to_string(slice));
  }
  return global_batch / slice;
}

Precision SettleTraining(const Llm& llm,
                         const Cluster& cluster,
                         const TrainLoad& load,
                         const Options& options,
                         const Fit& fit,
                         StepTime& step) {
  RequireRange("global-batch", load.global_batch, 1, kMostSequences);
  RequireRange("sequence", load.sequence, 1, kMostTokens);
  const TrainingRule rule = SettleTrainingRule(options, fit, step);
  const Precision precision = WithRule(
      SettlePrecision(TrainingPrecision(llm, options.precision), options.precision, cluster, step),
      rule);
  const auto settle = [&](const Llm& model, const Cluster& devices, Plan plan) {
    if (!plan.stages) plan.stages = rule.stages;
    return SettleTrainingPlan(model, devices, std::move(plan));
  };
  const auto report = [&](StepTime& attempt) {
    if (load.sequence % attempt.plan.cp != 0) {
      throw ArgumentError("cp=" + std::to_string(attempt.plan.cp) +
                          ": does not divide the sequence of " + std::to_string(load.sequence) +
                          " tokens; use a divisor");
    }
    const TrainingMemoryLoad memory{load.sequence, MicroBatchesOf(attempt.plan, load.global_batch)};
    ReportTrainingMemory(llm, cluster, precision, rule, memory, attempt);
  };
  if (options.plan && !options.choose_tp) {
    step.plan = settle(llm, cluster, *options.plan);
    report(step);
  } else {
    step.plan = options.plan.value_or(Plan{});
    ChooseTp(llm, cluster, step, settle, report);
  }
  NoteLength(llm, load.sequence, step);
  step.load = LoadText(load, step.plan);
  return precision;
}

StepTime PredictTrainingMemory(const Llm& llm,
                               const Cluster& cluster,
                               const TrainLoad& load,
                               const Options& options) {
  StepTime step;
  step.verb = "memory train";
  const Fit& fit = FitOf(options);
  const Precision precision = SettleTraining(llm, cluster, load, options, fit, step);
  Finish(llm, cluster, fit, precision, nullptr, step);
  return step;
}

}  // namespace roofcast
