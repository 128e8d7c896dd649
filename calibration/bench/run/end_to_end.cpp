// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/run/end_to_end.h"

#include <memory>
#include <utility>

#include "calibration/bench/device_file.h"
#include "calibration/bench/grid.h"
#include "calibration/bench/run/suite.h"
#include "calibration/bench/run/transformer.h"
#include "calibration/bench/small_models.h"
#include "calibration/calibrate.h"
#include "calibration/fit_file.h"
#include "calibration/read_rows.h"
#include "core/error.h"
#include "core/scalar.h"
#include "hardware/cluster.h"
#include "models/llm/parameters.h"
#include "models/steps/predict.h"

namespace roofcast::bench {
namespace {

// A pass that runs, with what it needs.
struct Forward {
  const SmallModel* model = nullptr;
  Pass pass;
  std::unique_ptr<TransformerCache> cache;
  std::unique_ptr<Transformer> transformer;
  std::vector<std::int32_t> tokens;
};

std::vector<std::int32_t> TokensOf(const Pass& pass, std::int64_t vocabulary) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(pass.Tokens()));
  std::int64_t token = 1;
  for (std::int32_t& one : tokens) {
    token = (token * 48271) % 2147483647;
    one = static_cast<std::int32_t>(token % vocabulary);
  }
  return tokens;
}

// What a reader of the tables would find.
MeasuredRows RowsOf(const std::vector<Measured>& measured,
                    const Setting& setting,
                    const Device& of) {
  const auto device = std::make_shared<const Device>(of);
  MeasuredRows rows;
  for (const auto& [name, text] : FormatTables(measured, setting)) {
    ReadRows(text, name, device, rows);
  }
  return rows;
}

// As `roofcast predict prefill` and `decode` do it, on one device.
StepTime Predict(const Llm& llm, const Cluster& cluster, const Pass& pass, const Fit& fit) {
  Options options;
  options.plan = Plan{};
  options.fit = &fit;
  if (pass.queries > 1) return PredictPrefill(llm, cluster, {pass.batch, pass.keys}, options);
  return PredictDecode(llm, cluster, {pass.batch, pass.keys - 1}, options);
}

// Everything that is measured in one format, made once for all runs.
class Bench {
 public:
  Bench(const BenchOptions& options, const Ready& ready, DType dtype)
      : dtype_(dtype), workspace_(ColdBytes(ready.machine.last_level_cache)) {
    models_ = SmallModels(options.quick, dtype, ready.machine.last_level_cache);
    RequireMemory(ready.machine, NeededBytes(options.quick));
    GridChoice grid;
    grid.quick = options.quick;
    grid.parts = {Part::kGemm, Part::kGemv, Part::kAttention, Part::kElementwise};
    grid.formats = {dtype};
    operators_ = MakeReady(MakeGrid(grid), workspace_);
    for (const SmallModel& model : models_) {
      weights_.push_back(std::make_unique<TransformerWeights>(model.llm, dtype));
      for (const Pass& pass : SmallPasses(options.quick)) {
        Forward forward{&model, pass, nullptr, nullptr, TokensOf(pass, model.llm.vocabulary)};
        forward.cache = std::make_unique<TransformerCache>(*weights_.back(), pass.batch, pass.keys);
        forward.transformer = std::make_unique<Transformer>(*weights_.back(), *forward.cache, pass);
        forwards_.push_back(std::move(forward));
      }
    }
  }

  EndToEndRun Run(const BenchOptions& options,
                  const Ready& ready,
                  const std::string& date,
                  const Progress& progress) {
    std::vector<std::function<void()>> runs;
    runs.reserve(operators_.size() + forwards_.size());
    for (const ReadyCase& one : operators_) runs.push_back(one.run);
    for (const Forward& one : forwards_) {
      runs.emplace_back([&one] { one.transformer->Run(one.tokens); });
    }
    const std::vector<Repeats> repeats =
        MeasureInRounds(runs, options.repeats, LeastTime(options.quick), progress);
    std::vector<Measured> measured;
    measured.reserve(operators_.size());
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      measured.push_back(operators_[i].measured);
      measured.back().repeats = repeats[i];
    }
    const auto device = DeviceFrom(ready.machine, measured, ready.setting, date);
    ROOFCAST_CHECK(device.has_value());
    const Calibration calibration = Calibrate(RowsOf(measured, ready.setting, *device), *device);
    const Fit fit = ToFit(calibration, date);
    EndToEndRun run;
    run.noise = NoiseOf(repeats, ready.setting.threads);
    for (const SeriesReport& series : calibration.series) {
      run.operator_errors[series.name] = SummariseResiduals(series.fit.Best()).mape;
    }
    for (std::size_t i = 0; i < forwards_.size(); ++i) {
      const Forward& one = forwards_[i];
      const Seconds time = repeats[operators_.size() + i].Time(ready.setting.threads);
      const StepTime step = Predict(one.model->llm, ClusterOf(*device, 1), one.pass, fit);
      const Interval interval = step.interval.value_or(Interval{0.9, step.time, step.time});
      run.forwards.push_back({one.model->name,
                              NameOf(one.pass),
                              dtype_,
                              time,
                              step.time,
                              interval.low,
                              interval.high});
    }
    return run;
  }

 private:
  // Weights and a copy of the token table, the caches of all passes, and the pool.
  double NeededBytes(bool quick) const {
    double bytes = static_cast<double>(workspace_.size()) + 512.0 * 1024 * 1024;
    for (const SmallModel& model : models_) {
      bytes += CountParameters(model.llm).checkpoint_bytes.value();
      const Bytes token = KvBytesPerToken(model.llm, dtype_);
      for (const Pass& pass : SmallPasses(quick)) {
        bytes += Number(pass.batch * pass.keys) * token.value();
      }
    }
    return bytes;
  }

  DType dtype_;
  Workspace workspace_;
  std::vector<SmallModel> models_;
  std::vector<ReadyCase> operators_;
  std::vector<std::unique_ptr<TransformerWeights>> weights_;
  std::vector<Forward> forwards_;
};

}  // namespace

EndToEnd RunEndToEnd(const BenchOptions& options,
                     const std::string& date,
                     const Progress& progress) {
  Ready ready = MakeMachineReady(options);
  EndToEnd result;
  std::vector<DType> formats;
  for (const DType dtype : ready.formats) {
    if (dtype != DType::kInt8) formats.push_back(dtype);
  }
  const auto total = static_cast<std::int64_t>(formats.size()) * kEndToEndRuns;
  std::int64_t finished = 0;
  for (const DType dtype : formats) {
    Bench bench(options, ready, dtype);
    for (int run = 0; run < kEndToEndRuns; ++run) {
      const Progress part = [&](std::int64_t done, std::int64_t all) {
        progress(finished * all + done, total * all);
      };
      result.runs[dtype].push_back(bench.Run(options, ready, date, part));
      ++finished;
    }
  }
  result.machine = std::move(ready.machine);
  result.setting = std::move(ready.setting);
  result.notes = std::move(ready.notes);
  return result;
}

}  // namespace roofcast::bench
