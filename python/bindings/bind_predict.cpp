// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/text.h"
#include "models/steps/predict.h"
#include "python/bindings/bind.h"
#include "python/bindings/plan_argument.h"
#include "python/bindings/predict_docs.h"
#include "python/bindings/step.h"

namespace roofcast::python {
namespace {

using FitsArgument = Typed<"str | os.PathLike[str] | None">;

// The library says which loads it can use.
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();

// The arguments that all predictions share.
struct Shared {
  Options options;
  std::optional<std::string> fits;
  std::optional<std::string> engine;
};

// The word of an enum, or nullopt for None.
template <NamedEnum E>
std::optional<E> OptionalWord(const py::object& value, const char* name) {
  if (value.is_none()) return std::nullopt;
  const std::string word = Text(value, name);
  const std::optional<E> known = FindEnum<E>(word);
  if (known) return known;
  throw ArgumentError(std::string(name) + "='" + Printable(word) + "': is unknown; use " +
                      JoinWithOr(EnumWords<E>()));
}

Shared SharedOf(const PlanArgument& plan,
                const OptionalNameArgument& weights,
                const OptionalNameArgument& activations,
                const OptionalNameArgument& kv,
                const FitsArgument& fits,
                const OptionalNameArgument& mode = {py::none()},
                const OptionalNameArgument& kernels = {py::none()}) {
  Shared shared;
  shared.options.plan = OptionalPlan(plan);
  shared.options.precision.weights = OptionalWeights(weights.object, "weights");
  shared.options.precision.activations = OptionalDType(activations.object, "activations");
  shared.options.precision.kv = OptionalKvDType(kv.object, "kv");
  if (!fits.object.is_none()) shared.fits = PathText(fits.object, "fits");
  shared.options.estimator.mode = OptionalWord<EstimateMode>(mode.object, "mode");
  if (!kernels.object.is_none()) {
    shared.options.estimator.framework = KnownFramework(Text(kernels.object, "kernels"), "kernels");
  }
  return shared;
}

// Runs a prediction without the interpreter's lock.
template <class Load>
Step Predict(StepTime (*predict)(const Llm&, const Cluster&, const Load&, const Options&),
             const Llm& llm,
             const Cluster& cluster,
             const Load& load,
             Shared shared) {
  const py::gil_scoped_release release;
  std::optional<Fit> fit;
  if (shared.fits) fit = LoadFit(*shared.fits);
  shared.options.fit = fit ? &*fit : nullptr;
  std::optional<Engine> engine;
  if (shared.engine) engine = LoadEngine(*shared.engine);
  shared.options.engine = engine ? &*engine : nullptr;
  return Step(predict(llm, cluster, load, shared.options));
}

void BindTrain(py::module_& m) {
  m.def(
      "predict_train_step",
      [](const Llm& llm,
         const Cluster& cluster,
         const PlanArgument& plan,
         const IntArgument& global_batch,
         const IntArgument& sequence,
         const OptionalNameArgument& weights,
         const OptionalNameArgument& activations,
         const FitsArgument& fits,
         const OptionalNameArgument& mode,
         const OptionalNameArgument& kernels,
         const NameArgument& flops_convention,
         const FitsArgument& engine) {
        const TrainLoad load{.global_batch = WholeNumber(global_batch.object, "global_batch", kAny),
                             .sequence = WholeNumber(sequence.object, "sequence", kAny)};
        Shared shared = SharedOf(plan, weights, activations, {py::none()}, fits, mode, kernels);
        shared.options.flops_convention = Text(flops_convention.object, "flops_convention");
        if (!engine.object.is_none()) shared.engine = PathText(engine.object, "engine");
        return Predict(&PredictTrainStep, llm, cluster, load, std::move(shared));
      },
      py::arg("llm"),
      py::arg("cluster"),
      py::arg("plan") = py::none(),
      py::kw_only(),
      py::arg("global_batch"),
      py::arg("sequence"),
      py::arg("weights") = py::none(),
      py::arg("activations") = py::none(),
      py::arg("fits") = py::none(),
      py::arg("mode") = py::none(),
      py::arg("kernels") = py::none(),
      py::arg("flops_convention") = std::string(kDefaultFlopsConvention),
      py::arg("engine") = py::none(),
      kTrainDoc);
}

void BindTrainingMemory(py::module_& m) {
  m.def(
      "training_memory",
      [](const Llm& llm,
         const Cluster& cluster,
         const PlanArgument& plan,
         const IntArgument& global_batch,
         const IntArgument& sequence,
         const FitsArgument& engine,
         const OptionalNameArgument& optimizer,
         const OptionalNameArgument& attention,
         const OptionalNameArgument& gradients,
         const OptionalNameArgument& moments,
         const OptionalNameArgument& master,
         const OptionalIntArgument& loss_chunk,
         const OptionalNameArgument& weights,
         const OptionalNameArgument& activations,
         const FitsArgument& fits) {
        const TrainLoad load{.global_batch = WholeNumber(global_batch.object, "global_batch", kAny),
                             .sequence = WholeNumber(sequence.object, "sequence", kAny)};
        Shared shared = SharedOf(plan, weights, activations, {py::none()}, fits);
        if (!engine.object.is_none()) shared.engine = PathText(engine.object, "engine");
        TrainingChoice& choice = shared.options.training;
        choice.optimizer = OptionalWord<Optimizer>(optimizer.object, "optimizer");
        choice.attention = OptionalWord<AttentionForm>(attention.object, "attention");
        choice.gradients = OptionalDType(gradients.object, "gradients");
        choice.moments = OptionalDType(moments.object, "moments");
        choice.no_master =
            py::isinstance<py::str>(master.object) && Text(master.object, "master") == "none";
        if (!choice.no_master) choice.master = OptionalDType(master.object, "master");
        if (!loss_chunk.object.is_none()) {
          choice.loss_chunk = WholeNumber(loss_chunk.object, "loss_chunk", 1);
        }
        return MemoryView{Predict(&PredictTrainingMemory, llm, cluster, load, std::move(shared))};
      },
      py::arg("llm"),
      py::arg("cluster"),
      py::arg("plan") = py::none(),
      py::kw_only(),
      py::arg("global_batch"),
      py::arg("sequence"),
      py::arg("engine") = py::none(),
      py::arg("optimizer") = py::none(),
      py::arg("attention") = py::none(),
      py::arg("gradients") = py::none(),
      py::arg("moments") = py::none(),
      py::arg("master") = py::none(),
      py::arg("loss_chunk") = py::none(),
      py::arg("weights") = py::none(),
      py::arg("activations") = py::none(),
      py::arg("fits") = py::none(),
      kTrainingMemoryDoc);
}

void BindServing(py::module_& m) {
  m.def(
      "predict_prefill",
      [](const Llm& llm,
         const Cluster& cluster,
         const PlanArgument& plan,
         const IntArgument& input,
         const IntArgument& batch,
         const OptionalNameArgument& weights,
         const OptionalNameArgument& activations,
         const OptionalNameArgument& kv,
         const FitsArgument& fits,
         const OptionalNameArgument& mode,
         const OptionalNameArgument& kernels) {
        const PrefillLoad load{.batch = WholeNumber(batch.object, "batch", kAny),
                               .input = WholeNumber(input.object, "input", kAny)};
        return Predict(&PredictPrefill,
                       llm,
                       cluster,
                       load,
                       SharedOf(plan, weights, activations, kv, fits, mode, kernels));
      },
      py::arg("llm"),
      py::arg("cluster"),
      py::arg("plan") = py::none(),
      py::kw_only(),
      py::arg("input"),
      py::arg("batch") = 1,
      py::arg("weights") = py::none(),
      py::arg("activations") = py::none(),
      py::arg("kv") = py::none(),
      py::arg("fits") = py::none(),
      py::arg("mode") = py::none(),
      py::arg("kernels") = py::none(),
      kPrefillDoc);
  m.def(
      "predict_decode",
      [](const Llm& llm,
         const Cluster& cluster,
         const PlanArgument& plan,
         const IntArgument& context,
         const IntArgument& batch,
         const OptionalNameArgument& weights,
         const OptionalNameArgument& activations,
         const OptionalNameArgument& kv,
         const FitsArgument& fits,
         const OptionalNameArgument& mode,
         const OptionalNameArgument& kernels) {
        const DecodeLoad load{.batch = WholeNumber(batch.object, "batch", kAny),
                              .context = WholeNumber(context.object, "context", kAny)};
        return Predict(&PredictDecode,
                       llm,
                       cluster,
                       load,
                       SharedOf(plan, weights, activations, kv, fits, mode, kernels));
      },
      py::arg("llm"),
      py::arg("cluster"),
      py::arg("plan") = py::none(),
      py::kw_only(),
      py::arg("context"),
      py::arg("batch") = 1,
      py::arg("weights") = py::none(),
      py::arg("activations") = py::none(),
      py::arg("kv") = py::none(),
      py::arg("fits") = py::none(),
      py::arg("mode") = py::none(),
      py::arg("kernels") = py::none(),
      kDecodeDoc);
}

using EngineArgument = Typed<"str | os.PathLike[str] | None">;

std::optional<Engine> OptionalEngine(const EngineArgument& engine,
                                     const OptionalNameArgument& version) {
  if (engine.object.is_none()) {
    if (version.object.is_none()) return std::nullopt;
    throw ArgumentError("engine_version: of which engine? give engine, as engine=\"vllm\"");
  }
  const std::string name = PathText(engine.object, "engine");
  if (version.object.is_none()) return LoadEngine(name);
  return LoadEngine(name, Text(version.object, "engine_version"));
}

std::optional<std::int64_t> OptionalCount(const OptionalIntArgument& count, const char* name) {
  if (count.object.is_none()) return std::nullopt;
  return WholeNumber(count.object, name, 1);
}

void BindMemoryFunction(py::module_& m) {
  m.def(
      "memory",
      [](const Llm& llm,
         const Cluster& cluster,
         const PlanArgument& plan,
         const OptionalIntArgument& max_length,
         const IntArgument& batch,
         const EngineArgument& engine,
         const OptionalNameArgument& engine_version,
         const OptionalNumberArgument& memory_fraction,
         const OptionalIntArgument& max_batched_tokens,
         const OptionalIntArgument& max_sequences,
         const OptionalIntArgument& block_size,
         const OptionalNameArgument& kv_policy,
         const OptionalNameArgument& weights,
         const OptionalNameArgument& activations,
         const OptionalNameArgument& kv,
         const FitsArgument& fits) {
        MemoryLoad load;
        load.batch = WholeNumber(batch.object, "batch", kAny);
        load.max_length = OptionalCount(max_length, "max_length").value_or(0);
        const std::optional<Engine> loaded = OptionalEngine(engine, engine_version);
        if (loaded) load.engine.engine = &*loaded;
        if (!memory_fraction.object.is_none()) {
          load.engine.memory_fraction = RealNumber(memory_fraction.object, "memory_fraction");
        }
        load.engine.batched_tokens = OptionalCount(max_batched_tokens, "max_batched_tokens");
        load.engine.sequences = OptionalCount(max_sequences, "max_sequences");
        load.engine.block_size = OptionalCount(block_size, "block_size");
        if (!kv_policy.object.is_none()) {
          ParseKvPolicy(Text(kv_policy.object, "kv_policy"), load.engine);
        }
        return MemoryView{Predict(
            &PredictMemory, llm, cluster, load, SharedOf(plan, weights, activations, kv, fits))};
      },
      py::arg("llm"),
      py::arg("cluster"),
      py::arg("plan") = py::none(),
      py::kw_only(),
      py::arg("max_length") = py::none(),
      py::arg("batch") = 1,
      py::arg("engine") = py::none(),
      py::arg("engine_version") = py::none(),
      py::arg("memory_fraction") = py::none(),
      py::arg("max_batched_tokens") = py::none(),
      py::arg("max_sequences") = py::none(),
      py::arg("block_size") = py::none(),
      py::arg("kv_policy") = py::none(),
      py::arg("weights") = py::none(),
      py::arg("activations") = py::none(),
      py::arg("kv") = py::none(),
      py::arg("fits") = py::none(),
      kMemoryDoc);
}

}  // namespace

void BindPredict(py::module_& m) {
  BindTrain(m);
  BindServing(m);
  BindMemoryFunction(m);
  BindTrainingMemory(m);
}

}  // namespace roofcast::python
