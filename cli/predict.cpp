// SPDX-License-Identifier: Apache-2.0
// The verbs that work out a StepTime: predict train, prefill and decode, and memory.
#include "models/steps/predict.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/engine_flags.h"
#include "cli/grid.h"
#include "cli/row_writer.h"
#include "cli/run.h"
#include "cli/training_flags.h"
#include "core/catalog.h"
#include "core/error.h"
#include "core/output.h"
#include "core/text.h"
#include "models/llm/config.h"

namespace roofcast::cli {
namespace {

// What is read once and holds for every row.
struct Setting {
  Llm llm;
  Cluster cluster;
  std::optional<Fit> fit;
  std::optional<Engine> engine;
  Options options;  // its plan is completed for each row
};
using PredictRow = std::function<StepTime(const Setting&, const Options&, const Point&)>;

std::vector<std::string> NamesOf(const std::vector<DTypeRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const DTypeRow& row : rows) names.emplace_back(row.name);
  return names;
}

// The value of a flag that names a format, found by `find`; nothing without the flag.
template <class Find>
auto FormatFlag(const Arguments& arguments,
                std::string_view flag,
                Find find,
                const std::vector<std::string>& known) -> decltype(find(std::string())) {
  if (!arguments.Has(flag)) return std::nullopt;
  const std::string text = arguments.Get(flag);
  if (const auto format = find(text)) return format;
  throw ArgumentError("--" + std::string(flag) + ": unknown number format '" + Printable(text) +
                      "'; use " + JoinWithOr(known));
}

PrecisionChoice PrecisionFlags(const Arguments& arguments) {
  const std::vector<std::string> formats = NamesOf(DTypes());
  std::vector<std::string> stored = formats;
  for (std::string& name : NamesOf(BlockDTypes())) stored.push_back(std::move(name));
  return {FormatFlag(arguments, "weights", FindWeights, WeightNames()),
          FormatFlag(arguments, "activations", FindDType, formats),
          FormatFlag(arguments, "kv", FindStorageDType, stored)};
}

// Two flags that say the same thing differently.
void RefuseBoth(const Arguments& arguments, std::string_view one, std::string_view other) {
  if (!arguments.Has(one) || !arguments.Has(other)) return;
  throw ArgumentError("--" + std::string(one) + " and --" + std::string(other) +
                      ": contradict each other; keep one of them");
}

// Flags of the plan that are no numbers; numbers are set for each row.
std::optional<Plan> PlanFlags(const Arguments& arguments) {
  std::optional<Plan> plan;
  for (const std::string_view degree : {"tp", "pp", "dp", "cp", "ep", "vpp"}) {
    RefuseBoth(arguments, "plan", degree);
  }
  RefuseBoth(arguments, "sequence-parallel", "no-sequence-parallel");
  if (arguments.Has("plan")) plan = ParsePlan(arguments.Get("plan"));
  if (arguments.Has("recompute")) {
    if (!plan) plan.emplace();
    plan->recompute = EnumFlag<Recompute>(arguments, "recompute");
  }
  if (arguments.Has("stages")) {
    if (!plan) plan.emplace();
    SetStages(arguments.Get("stages"), *plan);
  }
  if (arguments.Has("no-sequence-parallel")) {
    if (!plan) plan.emplace();
    plan->sequence_parallel = false;
  }
  return plan;
}

Setting ReadSetting(const Arguments& arguments) {
  Setting setting;
  setting.options.plan = PlanFlags(arguments);
  setting.options.choose_tp = !arguments.Has("plan");  // until a degree is given
  setting.options.precision = PrecisionFlags(arguments);
  setting.options.training = TrainingChoiceOf(arguments);
  if (arguments.Has("mode")) {
    setting.options.estimator.mode = EnumFlag<EstimateMode>(arguments, "mode");
  }
  if (arguments.Has("kernels")) {
    setting.options.estimator.framework = KnownFramework(arguments.Get("kernels"), "--kernels");
  }
  if (arguments.Has("engine")) setting.engine = LoadEngine(arguments.Get("engine"));
  if (arguments.Has("flops-convention")) {
    setting.options.flops_convention = arguments.Get("flops-convention");
  }
  setting.llm = LoadLlm(arguments.Get("model"));
  setting.cluster = LoadCluster(arguments.Get("cluster"));
  if (arguments.Has("fits")) setting.fit = LoadFit(arguments.Get("fits"));
  return setting;
}

// The plan of one row. With a degree of its own tp is 1 unless given; without any, the library
// chooses tp and keeps the rest.
Options OptionsOf(const Setting& setting, const Point& point) {
  struct Member {
    std::string_view flag;
    std::int64_t Plan::*member;
    bool is_degree;
  };
  constexpr std::array kMembers = {
      Member{"tp", &Plan::tp, true},
      Member{"pp", &Plan::pp, true},
      Member{"dp", &Plan::dp, true},
      Member{"cp", &Plan::cp, true},
      Member{"ep", &Plan::ep, true},
      Member{"vpp", &Plan::vpp, true},
      Member{"moe-tp", &Plan::moe_tp, true},
      Member{"shard", &Plan::shard, true},
      Member{"replicas", &Plan::replicas, true},
      Member{"micro-batch", &Plan::micro_batch, false},
      Member{"zero", &Plan::zero, false},
  };
  Options options = setting.options;
  for (const Member& member : kMembers) {
    const auto value = Find(point, member.flag);
    if (!value) continue;
    // 0 means "the rest of the devices" to the library; nobody writes that on purpose.
    if (member.is_degree && *value < 1) {
      throw ArgumentError(std::string(member.flag) + "=" + std::to_string(*value) +
                          ": needs a whole number from 1; leave it out for the default");
    }
    if (!options.plan) options.plan.emplace();
    (*options.plan).*member.member = *value;
    if (member.is_degree) options.choose_tp = false;
  }
  if (setting.fit) options.fit = &*setting.fit;
  if (setting.engine) options.engine = &*setting.engine;
  options.training.loss_chunk = Find(point, "loss-chunk");
  return options;
}

int RunRows(const Verb& verb,
            const Arguments& arguments,
            const PredictRow& predict,
            const EngineLog* log = nullptr) {
  const OutputFormat format = FormatOf(arguments);
  const Grid grid(verb, arguments);
  if (log != nullptr && grid.rows() != 1) {
    throw ArgumentError("--engine-log: is of one start; give single numbers beside it");
  }
  if (log != nullptr && format == OutputFormat::kCsv) {
    throw ArgumentError("--engine-log: has no CSV; use --json");
  }
  const Setting setting = ReadSetting(arguments);
  std::optional<StepTime> only;
  if (grid.rows() == 1) {  // what is impossible is an error before anything is written
    const Point point = grid.At(0);
    only = predict(setting, OptionsOf(setting, point), point);
  }
  Output output(arguments.Get("output"));
  const RowsContext context{verb,
                            grid,
                            setting.llm.name,
                            setting.cluster.name,
                            setting.fit ? setting.fit->hash : "",
                            arguments.Has("quiet"),
                            log};
  const auto writer = format == OutputFormat::kJson  ? MakeJsonWriter(context, output)
                      : format == OutputFormat::kCsv ? MakeCsvWriter(context, output)
                                                     : MakeTextWriter(context, output);
  std::int64_t possible = 0;
  for (std::int64_t row = 0; row < grid.rows(); ++row) {
    const Point point = grid.At(row);
    try {
      writer->Add(point, only ? *only : predict(setting, OptionsOf(setting, point), point));
      ++possible;
    } catch (const ArgumentError& error) {
      writer->AddRefused(point, error.what());
    }
  }
  writer->Finish();
  output.Finish();
  return possible > 0 ? kSuccess : kBadInput;
}

}  // namespace

int RunPredictTrain(const Verb& verb, const Arguments& arguments) {
  return RunRows(verb, arguments, [](const auto& setting, const auto& options, const auto& point) {
    const TrainLoad load{*Find(point, "global-batch"), *Find(point, "sequence")};
    return PredictTrainStep(setting.llm, setting.cluster, load, options);
  });
}

int RunMemoryTrain(const Verb& verb, const Arguments& arguments) {
  return RunRows(verb, arguments, [](const auto& setting, const auto& options, const auto& point) {
    const TrainLoad load{*Find(point, "global-batch"), *Find(point, "sequence")};
    return PredictTrainingMemory(setting.llm, setting.cluster, load, options);
  });
}

int RunPredictPrefill(const Verb& verb, const Arguments& arguments) {
  return RunRows(verb, arguments, [](const auto& setting, const auto& options, const auto& point) {
    const PrefillLoad load{Find(point, "batch").value_or(1), *Find(point, "input")};
    return PredictPrefill(setting.llm, setting.cluster, load, options);
  });
}

int RunPredictDecode(const Verb& verb, const Arguments& arguments) {
  return RunRows(verb, arguments, [](const auto& setting, const auto& options, const auto& point) {
    const DecodeLoad load{Find(point, "batch").value_or(1), *Find(point, "context")};
    return PredictDecode(setting.llm, setting.cluster, load, options);
  });
}

int RunMemory(const Verb& verb, const Arguments& given) {
  std::optional<EngineLog> log;
  if (given.Has("engine-log")) log = ReadEngineLog(ReadUserFile(given.Get("engine-log")).text);
  const Arguments arguments = log ? WithLog(given, *log) : given;
  if (!arguments.Has("model")) {
    throw ArgumentError("--model: is missing; write for example\n  " +
                        std::string(verb.examples.front()));
  }
  const EngineFlags flags = ReadEngineFlags(arguments);
  const auto predict = [&](const auto& setting, const auto& options, const auto& point) {
    const auto length = Find(point, "max-length");
    if (length && *length < 1) {
      throw ArgumentError("max-length=" + std::to_string(*length) +
                          ": needs a whole number from 1; leave it out for what the config allows");
    }
    const MemoryLoad load{
        length.value_or(0), Find(point, "batch").value_or(1), ChoiceOf(flags, point)};
    return PredictMemory(setting.llm, setting.cluster, load, options);
  };
  return RunRows(verb, arguments, predict, log ? &*log : nullptr);
}

}  // namespace roofcast::cli
