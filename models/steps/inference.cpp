// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "models/steps/compose.h"
#include "models/steps/memory_report.h"
#include "models/steps/predict.h"
#include "models/steps/report_text.h"
#include "models/steps/settle.h"

namespace roofcast {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;  // of a sequence
constexpr std::int64_t kMostSequences = 1'000'000;

// A pass through the whole model: stages one after the other, since a batch is one micro-batch.
Node ComposePass(std::string name,
                 const Llm& llm,
                 const Cluster& cluster,
                 const Plan& plan,
                 const Precision& precision,
                 const Pass& pass,
                 Estimator& estimator) {
  Node whole;
  whole.name = std::move(name);
  Node layers;
  const std::vector<std::int64_t> count = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < count.size(); ++kind) {
    const Node layer = ComposeWork(
        "", LayerForward(llm, llm.kinds[kind], plan, precision, pass), cluster, estimator);
    Merge(layers, layer, count[kind]);
  }
  Merge(
      whole, ComposeWork("", EmbeddingForward(llm, plan, precision, pass), cluster, estimator), 1);
  Merge(whole, layers, 1);
  Merge(whole, ComposeWork("", HeadForward(llm, plan, precision, pass), cluster, estimator), 1);
  if (plan.pp > 1) {
    whole.Add(
        CollectiveNode(
            "pipeline send/receive", StageTransfer(llm, plan, precision, pass), cluster, estimator)
            .Repeated(plan.pp - 1));
  }
  return whole;
}

// What prefill, decode and memory share.
StepTime Predict(std::string verb,
                 const Llm& checkpoint,
                 const Cluster& cluster,
                 const Pass& pass,
                 const ServingMemory& memory,
                 const Options& options,
                 const EngineChoice* engine = nullptr) {
  StepTime step;
  step.verb = std::move(verb);
  const std::optional<WeightChoice>& weights = options.precision.weights;
  std::optional<Llm> converted;
  if (weights && RecipeOf(checkpoint, *weights) != nullptr) {
    converted = WithWeights(checkpoint, *weights);
  }
  const Llm& llm = converted ? *converted : checkpoint;
  const Fit& fit = FitOf(options);
  const Precision precision =
      SettlePrecision(ServingPrecision(llm, options.precision), options.precision, cluster, step);
  NoteStorage(checkpoint, options.precision, precision, step);
  const auto report = [&](StepTime& attempt) {
    if (engine != nullptr) {
      const EngineLoad load{memory.sequences, memory.length};
      ReportEngineMemory(llm, cluster, precision, load, *engine, attempt);
    } else {
      ReportServingMemory(llm, cluster, precision, memory, fit.coefficients, attempt);
    }
  };
  if (options.plan && !options.choose_tp) {
    step.plan = SettleServingPlan(llm, cluster, *options.plan);
    report(step);
  } else {
    step.plan = options.plan.value_or(Plan{});
    ChooseTp(llm, cluster, step, SettleServingPlan, report);
  }
  NoteLength(llm, memory.length, step);
  std::optional<Estimator> estimator;  // bytes need none, and its fits are long to read
  if (!IsMemoryVerb(step.verb)) {
    estimator.emplace(EstimatorFor(cluster, options));
    step.breakdown = ComposePass(step.verb, llm, cluster, step.plan, precision, pass, *estimator);
    step.assumptions["host"] = "launches are captured in graphs: no host time beside intercepts";
    if (step.plan.pp > 1) {
      step.assumptions["pipeline"] = "one batch passes the stages alone, one after the other";
    }
  }
  Finish(llm, cluster, fit, precision, estimator ? &*estimator : nullptr, step);
  return step;
}

void SetThroughput(StepTime& step, double tokens_per_replica, std::int64_t devices) {
  step.tokens_per_s = tokens_per_replica * Number(step.plan.replicas) / step.time.value();
  // Devices that no replica uses are paid for as well.
  step.tokens_per_s_per_device = step.tokens_per_s / Number(devices);
}

}  // namespace

StepTime PredictPrefill(const Llm& llm,
                        const Cluster& cluster,
                        const PrefillLoad& load,
                        const Options& options) {
  RequireRange("batch", load.batch, 1, kMostSequences);
  RequireRange("input", load.input, 1, kMostTokens);
  const Pass pass{load.batch, load.input, load.input, false};
  // An encoder's head, if it has one, reads every token.
  const std::int64_t logits = llm.causal ? load.batch : pass.Tokens();
  const ServingMemory memory{load.batch, load.input, pass.Tokens(), logits};
  StepTime step = Predict("predict prefill", llm, cluster, pass, memory, options);
  step.load = FormatCounted(load.batch, "prompt") + " of " + std::to_string(load.input) +
              " tokens on each replica";
  SetThroughput(step, Number(pass.Tokens()), cluster.devices);
  return step;
}

StepTime PredictDecode(const Llm& llm,
                       const Cluster& cluster,
                       const DecodeLoad& load,
                       const Options& options) {
  RequireRange("batch", load.batch, 1, kMostSequences);
  RequireRange("context", load.context, 0, kMostTokens);
  if (!llm.causal) {
    throw ArgumentError("model: " + llm.name +
                        " is an encoder, which makes no next token; use predict prefill, which "
                        "reads all tokens in one pass");
  }
  const Pass pass{load.batch, 1, load.context + 1, false};
  const ServingMemory memory{load.batch, load.context + 1, load.batch, load.batch};
  StepTime step = Predict("predict decode", llm, cluster, pass, memory, options);
  step.load = FormatCounted(load.batch, "sequence") + " with " + std::to_string(load.context) +
              " tokens cached on each replica";
  SetThroughput(step, Number(load.batch), cluster.devices);
  return step;
}

StepTime PredictMemory(const Llm& llm,
                       const Cluster& cluster,
                       const MemoryLoad& load,
                       const Options& options) {
  RequireRange("batch", load.batch, 1, kMostSequences);
  RequireRange("max-length", load.max_length, 0, kMostTokens);
  std::int64_t length = load.max_length > 0 ? load.max_length : llm.max_length;
  if (length == 0) {
    throw ArgumentError("max-length: " + llm.name +
                        " does not say how long a sequence may be; give --max-length");
  }
  // The pass that prompts are read in sets the workspace.
  constexpr std::int64_t kPrefillTokens = 8192;
  const std::int64_t tokens = std::min(length, kPrefillTokens);
  const bool by_engine = load.engine.engine != nullptr;
  const KvLayout layout =
      by_engine ? KvLayout{} : SettleAdmission(load.engine, cluster.device, {}).layout;
  const ServingMemory memory{load.batch, length, tokens, load.batch, layout};
  StepTime step =
      Predict("memory", llm, cluster, {}, memory, options, by_engine ? &load.engine : nullptr);
  step.load = FormatCounted(load.batch, "sequence") + " of up to " + std::to_string(length) +
              " tokens on each replica";
  if (by_engine) {
    NoteEngine(*load.engine.engine, step);
  } else {
    step.assumptions["workspace"] =
        "prompts are read " + std::to_string(tokens) + " tokens at a time";
    step.assumptions["engine"] =
        "none: all memory beside weights, workspace and runtime is KV cache";
  }
  return step;
}

}  // namespace roofcast
