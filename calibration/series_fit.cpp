// SPDX-License-Identifier: Apache-2.0
#include "calibration/series_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "calibration/solve.h"
#include "core/error.h"
#include "models/validation/folds.h"

namespace roofcast {
namespace {

// Frameworks by falling count of rows; ties by name.
std::vector<std::string> GroupsOf(const Series& series) {
  std::map<std::string, std::size_t> counts;
  for (const MeasuredRow* row : series.rows) ++counts[row->framework];
  std::vector<std::string> groups;
  groups.reserve(counts.size());
  for (const auto& [name, count] : counts) groups.push_back(name);
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return counts[a] > counts[b];
  });
  return groups;
}

FitTask TaskOf(const Series& series, const FormRows& rows) {
  FitTask task;
  task.rows = &rows;
  task.groups = GroupsOf(series);
  task.robust_width = series.plan->robust_width;
  task.log_times.reserve(series.rows.size());
  task.group.reserve(series.rows.size());
  for (const MeasuredRow* row : series.rows) {
    task.log_times.push_back(std::log(row->time));
    const auto found = std::find(task.groups.begin(), task.groups.end(), row->framework);
    task.group.push_back(static_cast<std::size_t>(found - task.groups.begin()));
  }
  for (const std::string_view field : series.plan->framework_fields) {
    const auto& infos = rows.Infos();
    const auto found = std::find_if(infos.begin(), infos.end(), [&](const CoefficientInfo& info) {
      return info.name == field;
    });
    if (found == infos.end()) {
      throw ArgumentError(std::string(series.plan->form) + ": no coefficient '" +
                          std::string(field) + "'");
    }
    task.group_fields.push_back(static_cast<std::size_t>(found - infos.begin()));
  }
  if (!series.plan->pools_frameworks) task.group_fields.clear();
  return task;
}

double Residual(const FitTask& task, std::size_t row, const std::vector<double>& parameters) {
  const std::vector<double> at = task.LogCoefficients(parameters, task.group[row]);
  return task.log_times[row] - task.rows->LogTime(row, at.data(), nullptr);
}

std::vector<double> HeldOutResiduals(const FitTask& task, const Series& series) {
  std::vector<double> residuals(series.rows.size());
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<std::size_t> others;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
      (FoldOf(series.rows[i]->key) == fold ? held : others).push_back(i);
    }
    if (held.empty()) continue;
    const Solution solution = Solve(task, others, series.plan->starts);
    for (const std::size_t i : held) residuals[i] = Residual(task, i, solution.parameters);
  }
  return residuals;
}

}  // namespace

std::string Series::Name() const {
  std::string name = std::string(plan->family) + " " + format;
  for (const std::string& word : {framework, kernel}) name += word.empty() ? "" : " " + word;
  return name;
}

std::vector<Series> DealSeries(const std::vector<MeasuredRow>& rows, const Device& device) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Series> dealt;
  for (const MeasuredRow& row : rows) {
    const FamilyPlan& plan = PlanOf(row.family, device);
    const std::string framework = plan.pools_frameworks ? "" : row.framework;
    const std::string kernel = plan.pools_frameworks ? "" : row.kernel;
    Series& series = dealt[{row.family, row.format, framework, kernel}];
    series.plan = &plan;
    series.format = row.format;
    series.framework = framework;
    series.kernel = kernel;
    series.rows.push_back(&row);
  }
  std::vector<Series> all;
  all.reserve(dealt.size());
  for (auto& [key, series] : dealt) all.push_back(std::move(series));
  return all;
}

SeriesFit FitSeries(const Series& series, const Device& device) {
  const FamilyPlan& plan = *series.plan;
  std::vector<KernelChoice> choices = {{}};
  if (plan.kernels) choices = plan.kernels(*series.rows.front(), device);
  std::vector<std::size_t> all(series.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});

  SeriesFit fit;
  fit.form = plan.form;
  std::unique_ptr<FormRows> best_rows;
  Solution best;
  for (const KernelChoice& choice : choices) {
    auto rows = PrepareRows(plan.form, series.rows, device, choice);
    const FitTask task = TaskOf(series, *rows);
    Solution solution = Solve(task, all, plan.starts);
    if (best_rows != nullptr && !(solution.cost < best.cost)) continue;
    best = std::move(solution);
    best_rows = std::move(rows);
    fit.kernel = choice;
  }
  const FitTask task = TaskOf(series, *best_rows);
  fit.infos = best_rows->Infos();
  fit.groups = task.groups;
  fit.group_fields = task.group_fields;
  fit.group_of_row = task.group;
  fit.parameters = best.parameters;
  std::vector<std::string> keys;
  keys.reserve(all.size());
  for (const MeasuredRow* row : series.rows) keys.push_back(row->key);
  fit.covariance = CovarianceAt(task, all, keys, best.parameters);
  for (const std::size_t i : all) {
    fit.residuals.push_back(Residual(task, i, best.parameters));
    fit.regimes.emplace_back(best_rows->RegimeOf(i));
  }
  fit.held_out_residuals = HeldOutResiduals(task, series);
  fit.in_sample = SummariseResiduals(fit.residuals);
  fit.cross_validated = SummariseResiduals(fit.held_out_residuals);
  return fit;
}

ErrorSummary SummariseResiduals(const std::vector<double>& residuals) {
  std::vector<double> predicted;
  predicted.reserve(residuals.size());
  for (const double residual : residuals) predicted.push_back(std::exp(-residual));
  return Summarise(predicted, std::vector<double>(residuals.size(), 1.0));
}

}  // namespace roofcast
