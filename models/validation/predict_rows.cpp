// SPDX-License-Identifier: Apache-2.0
#include "models/validation/predict_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/units.h"
#include "hardware/catalog.h"
#include "models/validation/folds.h"
#include "models/validation/memory_predictor.h"
#include "models/validation/source_profile.h"
#include "models/validation/training_run.h"
#include "models/validation/training_table.h"

namespace roofcast {
namespace {

// The run of the current row and its prediction, or why there is none. A run has several rows that
// most often follow each other, so the last one is kept.
struct RunOutcome {
  std::string key;
  std::optional<TrainingRun> run;
  PredictedMemory memory;
  std::string refusal;
};

class RowPredictor {
 public:
  explicit RowPredictor(const std::vector<Metric>& metrics) : metrics_(metrics) {}

  void Add(const TrainingTable& table);
  // The outcomes in the order of rows; the predictor is spent.
  std::vector<RowOutcome> Finish();

 private:
  bool Asked(Metric metric) const {
    return metrics_.empty() ||
           std::find(metrics_.begin(), metrics_.end(), metric) != metrics_.end();
  }
  RowOutcome Begin(const TrainingTable& table, const Facts& facts);
  void Predict(const Facts& facts, RowOutcome& outcome);
  void PredictMemory(const Facts& facts, RowOutcome& outcome);
  void PredictFits(const Facts& facts, RowOutcome& outcome);
  const RunOutcome& RunOf(const TrainingTable& table, const Facts& facts);
  const std::optional<Device>& DeviceOf(const std::string& name);

  const std::vector<Metric>& metrics_;
  MemoryPredictor predictor_;
  std::map<std::string, std::optional<Device>> devices_;
  std::unordered_set<std::string> runs_;  // hashes of those that have a row of fits
  std::set<std::string> lists_failures_;  // sources
  RunOutcome last_;
  std::vector<RowOutcome> outcomes_;
};

const std::optional<Device>& RowPredictor::DeviceOf(const std::string& name) {
  const auto found = devices_.find(name);
  if (found != devices_.end()) return found->second;
  std::optional<Device> device;
  // A name of the catalog: a cell that looks like a path must not open files.
  if (!name.empty() && !LooksLikePath(name)) {
    try {
      device = LoadDevice(name);
    } catch (const NotFoundError&) {
      device = std::nullopt;
    }
  }
  return devices_.emplace(name, std::move(device)).first->second;
}

const RunOutcome& RowPredictor::RunOf(const TrainingTable& table, const Facts& facts) {
  std::string key = table.RunKey();
  if (last_.run.has_value() && last_.key == key) return last_;
  if (!last_.refusal.empty() && last_.key == key) return last_;
  last_ = {std::move(key), std::nullopt, {}, ""};
  try {
    last_.run = ReadTrainingRun(facts);
    last_.memory = predictor_.Predict(*last_.run);
  } catch (const ArgumentError& error) {  // what is wrong with an engine is no fault of the row
    last_.refusal = error.what();
  }
  return last_;
}

RowOutcome RowPredictor::Begin(const TrainingTable& table, const Facts& facts) {
  RowOutcome outcome;
  outcome.row = table.row();
  outcome.source = facts.Text("source");
  outcome.model = facts.Text("model");
  outcome.framework = facts.Text("framework");
  const auto& device = DeviceOf(facts.Text("gpu"));
  outcome.gpu = device ? device->name : facts.Text("gpu");
  return outcome;
}

void RowPredictor::PredictMemory(const Facts& facts, RowOutcome& outcome) {
  const std::string_view regime = outcome.figure->regime;
  if (regime != "allocated" && regime != "reserved") {
    outcome.reason = "not predicted yet: metric " + std::string(outcome.figure->name);
    return;
  }
  if (!last_.memory.logged || facts.Text("logs_memory") != "True") {
    outcome.reason = "which memory the framework reports is not known";
    return;
  }
  const std::string unit = facts.Has("value_unit") ? facts.Text("value_unit") : facts.Text("unit");
  try {
    outcome.measured = ParseQuantity(Bytes::kDim, facts.Text("value") + " " + unit);
  } catch (const ArgumentError&) {
    outcome.reason = "value: not a number with a unit of memory";
    return;
  }
  if (!(outcome.measured > 0)) {
    outcome.reason = "value: not positive";
    return;
  }
  const Bytes bytes = regime == "allocated" ? *last_.memory.logged : last_.memory.reserved;
  outcome.predicted = bytes.value();
  outcome.status = RowStatus::kPredicted;
}

void RowPredictor::PredictFits(const Facts& facts, RowOutcome& outcome) {
  const auto& device = DeviceOf(facts.Text("gpu"));
  if (!device) {
    outcome.reason = "gpu: no device of the catalog is called so";
    return;
  }
  FitsOutcome fits;
  fits.measured = true;
  if (facts.Text("metric") == "oom") {
    const auto value = ParseNumber(facts.Text("value"));
    if (!value || (*value != 0 && *value != 1)) {
      outcome.reason = "value: neither 0 nor 1";
      return;
    }
    fits.measured = *value == 0;
  }
  const Bytes visible = device->memory.Visible();
  const Bytes usable = visible - last_.memory.runtime;
  fits.predicted = last_.memory.device <= visible;
  fits.by_states_alone = last_.memory.states <= usable;
  fits.pressure = last_.memory.PressureOn(usable);
  outcome.fits = fits;
  outcome.status = RowStatus::kPredicted;
}

void RowPredictor::Predict(const Facts& facts, RowOutcome& outcome) {
  const TableMetric& figure = *outcome.figure;
  const std::string test = ExclusionOf(figure.metric, facts);
  if (!test.empty()) {
    outcome.status = RowStatus::kExcluded;
    outcome.reason = test;
    return;
  }
  if (figure.metric != Metric::kMemory && figure.metric != Metric::kFits) {
    outcome.reason = "not predicted yet: metric " + std::string(figure.name);
    return;
  }
  if (!last_.refusal.empty()) {
    outcome.reason = last_.refusal;
    return;
  }
  outcome.plan = FormatPlan(last_.run->plan);
  outcome.key = last_.run->shape.Key();
  outcome.fold = FoldOf(outcome.key);
  if (figure.metric == Metric::kMemory) {
    PredictMemory(facts, outcome);
  } else {
    PredictFits(facts, outcome);
  }
}

void RowPredictor::Add(const TrainingTable& table) {
  const TableMetric* figure = FindTableMetric(table.facts().Text("metric"));
  if (figure != nullptr && figure->metric == Metric::kFits) {
    lists_failures_.insert(table.facts().Text("source"));
  }
  const bool own = figure == nullptr ? metrics_.empty() : Asked(figure->metric);
  // Any figure of a run says that it fits.
  const TableMetric* fits = FindTableMetric("oom");
  const bool implied = figure != nullptr && figure != fits && Asked(Metric::kFits) &&
                       runs_.insert(Sha256(table.RunKey())).second;
  if (!own && !implied) return;
  Facts facts = table.facts();
  CompleteFacts(facts);
  RowOutcome outcome = Begin(table, facts);
  RunOf(table, facts);
  if (implied) {
    RowOutcome ran = outcome;
    ran.figure = fits;
    Predict(facts, ran);
    outcomes_.push_back(std::move(ran));
  }
  if (!own) return;
  outcome.figure = figure;
  if (figure == nullptr) {
    outcome.reason = "unknown metric " + Quoted(facts.Text("metric"));
  } else {
    Predict(facts, outcome);
  }
  outcomes_.push_back(std::move(outcome));
}

std::vector<RowOutcome> RowPredictor::Finish() {
  const TableMetric* fits = FindTableMetric("oom");
  std::erase_if(outcomes_, [&](const RowOutcome& outcome) {
    return outcome.figure == fits && lists_failures_.count(outcome.source) == 0;
  });
  return std::move(outcomes_);
}

}  // namespace

std::vector<RowOutcome> PredictTrainingRows(std::string_view text,
                                            const std::string& file,
                                            const std::vector<Metric>& metrics) {
  TrainingTable table(text, file);
  RowPredictor predictor(metrics);
  while (table.Next()) predictor.Add(table);
  return predictor.Finish();
}

}  // namespace roofcast
