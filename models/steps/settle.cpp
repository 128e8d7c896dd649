// SPDX-License-Identifier: Apache-2.0
#include "models/steps/settle.h"

#include <algorithm>
#include <exception>
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

// The families of coefficients that a prediction used.
std::set<std::string_view> FamiliesOf(const Llm& llm, const StepTime& step) {
  std::set<std::string_view> families = {"memory"};
  if (IsMemoryVerb(step.verb)) return families;
  families.insert({"gemm", "elementwise", "embedding"});
  families.insert(step.verb == "predict decode" ? "decode_attention" : "prefill_attention");
  if (step.plan.tp * step.plan.pp * step.plan.dp > 1) families.insert("collective");
  for (const Layer& layer : llm.kinds) {
    if (layer.ffn.IsMoe()) families.insert("grouped_gemm");
  }
  return families;
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
            StepTime& step) {
  step.model = llm.name;
  step.cluster = cluster.name;
  step.fits_hash = fit.hash;
  std::vector<UsedSource> sources = SourcesOf(cluster, fit, precision, FamiliesOf(llm, step));
  sources.insert(sources.end(), step.sources.begin(), step.sources.end());  // of an engine
  step.sources = std::move(sources);
  step.assumptions["coefficients"] = Describe(fit);
  const bool training = step.verb.ends_with("train");
  step.assumptions["precision"] = Describe(precision, training);
  SettleBounds(step.breakdown);
  step.time = step.breakdown.time;
  step.bound = step.breakdown.bound;
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
