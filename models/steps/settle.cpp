// SPDX-License-Identifier: Apache-2.0
#include "models/steps/settle.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "models/steps/sources.h"

namespace roofcast {
namespace {

std::string Describe(const Precision& precision, bool training) {
  std::string text = "weights " + std::string(NameOf(precision.weights)) + ", activations " +
                     std::string(NameOf(precision.activations));
  if (training) {
    text += ", gradients " + std::string(NameOf(precision.gradients)) + ", optimizer " +
            std::string(NameOf(precision.optimizer));
  } else {
    text += ", KV " + std::string(NameOf(precision.kv));
  }
  return text;
}

// What a reader has to know of the coefficients.
std::string Describe(const Fit& fit) {
  const std::string name = "'" + fit.name + "': ";
  if (fit.IsAssumed()) return name + "round figures, not fitted to measurements";
  const auto assumed = std::count_if(fit.sources.begin(), fit.sources.end(), [](const auto& s) {
    return s.second.kind == SourceKind::kAssumed;
  });
  return name + fit.title + "; " + std::to_string(assumed) + " of " +
         std::to_string(fit.sources.size()) + " figures are assumed";
}

// The families of plain coefficients that a prediction used.
std::set<std::string_view> PlainFamiliesOf(const Estimator* estimator, const StepTime& step) {
  std::set<std::string_view> families = {"memory"};
  if (estimator == nullptr) return families;
  for (const Estimate* estimate : estimator->used()) {
    if (estimate->series == nullptr) families.insert(estimate->family);
  }
  if (step.plan.tp * step.plan.pp * step.plan.dp > 1) families.insert("collective");
  return families;
}

// "gemm bf16 vllm".
std::string NameOf(const FittedSeries& series) {
  return series.family + " " + series.format +
         (series.framework ? " " + *series.framework : std::string());
}

// Adds the fitted series that a prediction used to its sources.
void AddSeries(const Estimator& estimator, StepTime& step) {
  for (const Estimate* estimate : estimator.used()) {
    if (estimate->series == nullptr) continue;
    const Fit& fit = *estimate->fit;
    const auto at = static_cast<std::size_t>(estimate->series - fit.series.data());
    const auto source = fit.sources.find("series[" + std::to_string(at) + "].rows");
    UsedSource used{fit.name + " " + NameOf(*estimate->series), SourceKind::kFitted, "", fit.file};
    if (source != fit.sources.end()) {
      used.from = source->second.key;
      used.place = Format(source->second.place);
    }
    step.sources.push_back(std::move(used));
  }
}

// What a reader has to know of the coefficients of a prediction: which fit holds what.
std::string Describe(const Estimator& estimator) {
  std::map<std::string, std::vector<std::string>> held;
  std::vector<std::string> order;
  for (const Estimate* estimate : estimator.used()) {
    if (estimate->series == nullptr) continue;
    std::string fit = "'" + estimate->fit->name + "'";
    if (estimate->transfer == Transfer::kSibling) fit += " (a sibling)";
    if (estimate->transfer == Transfer::kGeneration) fit += " (other architectures)";
    if (!held.contains(fit)) order.push_back(fit);
    held[fit].push_back(NameOf(*estimate->series));
  }
  std::string text;
  for (const std::string& fit : order) {
    text += (text.empty() ? "" : "; ") + fit + ": ";
    for (std::size_t i = 0; i < held[fit].size(); ++i) text += (i == 0 ? "" : ", ") + held[fit][i];
  }
  const Fit& last = *estimator.fits().back().fit;
  return text + (text.empty() ? "" : "; the rest ") + Describe(last);
}

// The interval, once a part of the step rests on a fit, and what lies beyond it.
void SettleCertainty(const Estimator& estimator, StepTime& step) {
  AddSeries(estimator, step);
  const auto& used = estimator.used();
  const bool fitted = std::any_of(
      used.begin(), used.end(), [](const Estimate* one) { return one->series != nullptr; });
  if (!fitted) return;
  if (const auto spread = SpreadOf(step.breakdown)) {
    step.interval = Interval{0.9, spread->first, spread->second};
  }
  step.extrapolated.insert(
      step.extrapolated.end(), estimator.beyond().begin(), estimator.beyond().end());
}

}  // namespace

void RequireRange(std::string_view name,
                  std::int64_t value,
                  std::int64_t lowest,
                  std::int64_t highest) {
  if (value >= lowest && value <= highest) return;
  throw ArgumentError(std::string(name) + "=" + std::to_string(value) +
                      ": out of range; use a whole number from " + std::to_string(lowest) + " to " +
                      std::to_string(highest));
}

const Fit& FitOf(const Options& options) {
  if (options.fit != nullptr) return *options.fit;
  static const Fit fit = LoadFit();
  return fit;
}

Estimator EstimatorFor(const Cluster& cluster, const Options& options) {
  auto fits = options.fit == nullptr ? FitsFor(cluster.device) : OnlyFit(*options.fit);
  return {cluster.device, std::move(fits), options.estimator};
}

Precision SettlePrecision(Precision precision,
                          const PrecisionChoice& choice,
                          const Cluster& cluster,
                          StepTime& step) {
  const Device& device = cluster.device;
  if (!choice.activations && !device.Supports(precision.activations) &&
      device.Supports(precision.residual)) {
    step.assumptions["activations"] = std::string(NameOf(precision.residual)) + ", since " +
                                      device.name + " has no " +
                                      std::string(NameOf(precision.activations)) + " matrix rate";
    precision.activations = precision.residual;
  }
  if (!device.Supports(precision.residual) && precision.residual == DType::kBf16 &&
      device.Supports(DType::kFp16)) {
    step.assumptions["residual"] = "fp16, since " + device.name + " has no bf16 matrix rate";
    for (DType* dtype : {&precision.weights,
                         &precision.activations,
                         &precision.residual,
                         &precision.kv,
                         &precision.communication}) {
      if (*dtype == DType::kBf16) *dtype = DType::kFp16;
    }
  }
  device.PeakOf(precision.residual);  // throws where the device has neither
  device.PeakOf(precision.activations);
  return precision;
}

void ChooseTp(const Llm& llm,
              const Cluster& cluster,
              StepTime& step,
              const std::function<Plan(const Llm&, const Cluster&, Plan)>& settle,
              const std::function<void(StepTime&)>& report) {
  std::vector<std::int64_t> degrees = LegalTp(llm, std::min<std::int64_t>(cluster.devices, 128));
  const StepTime before = step;
  std::exception_ptr obstacle;  // of the smallest degree
  bool tried = false;
  for (const std::int64_t tp : degrees) {
    Plan plan = before.plan;
    plan.tp = tp;
    StepTime attempt = before;
    try {
      attempt.plan = settle(llm, cluster, plan);
      report(attempt);
    } catch (const ArgumentError&) {
      // Such as a tp that leaves no whole dp, or a dp that doesn't divide the batch.
      if (!obstacle) obstacle = std::current_exception();
      continue;
    }
    step = std::move(attempt);
    tried = true;
    if (step.fits) break;
  }
  if (!tried) std::rethrow_exception(obstacle);  // tp 1 is always among the degrees
  step.assumptions["plan"] =
      FormatPlan(step.plan) +
      (step.fits ? ", the smallest tensor parallelism that fits" : ", though nothing fits");
}

void Finish(const Llm& llm,
            const Cluster& cluster,
            const Fit& fit,
            const Precision& precision,
            const Estimator* estimator,
            StepTime& step) {
  step.model = llm.name;
  step.cluster = cluster.name;
  step.fits_hash = fit.hash;
  std::vector<UsedSource> sources =
      SourcesOf(cluster, fit, precision, PlainFamiliesOf(estimator, step));
  sources.insert(sources.end(), step.sources.begin(), step.sources.end());  // of an engine
  step.sources = std::move(sources);
  step.assumptions["coefficients"] = estimator == nullptr ? Describe(fit) : Describe(*estimator);
  const bool training = step.verb.ends_with("train");
  step.assumptions["precision"] = Describe(precision, training);
  SettleBounds(step.breakdown);
  step.time = step.breakdown.time;
  step.bound = step.breakdown.bound;
  if (estimator != nullptr) SettleCertainty(*estimator, step);
}

void NoteStorage(const Llm& checkpoint,
                 const PrecisionChoice& choice,
                 const Precision& precision,
                 StepTime& step) {
  if (choice.weights) {
    const WeightRecipe* recipe = RecipeOf(checkpoint, *choice.weights);
    if (recipe != nullptr) {
      step.assumptions["weights"] = std::string(recipe->name) + ": " + std::string(recipe->how);
    }
  }
  if (!choice.kv && precision.kv != precision.residual) {
    step.assumptions["KV cache"] =
        std::string(NameOf(precision.kv)) + ", since the checkpoint comes with scales for it";
  }
}

void NoteLength(const Llm& llm, std::int64_t length, StepTime& step) {
  if (llm.max_length > 0 && length > llm.max_length) {
    step.extrapolated.push_back("length " + std::to_string(length) + " is beyond the " +
                                std::to_string(llm.max_length) + " positions of " + llm.name);
  }
}

}  // namespace roofcast
