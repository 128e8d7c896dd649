// SPDX-License-Identifier: Apache-2.0
#include "calibration/series_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "calibration/residual_fit.h"
#include "calibration/roofline_rows.h"
#include "calibration/solve.h"
#include "core/error.h"
#include "models/validation/folds.h"

namespace roofcast {
namespace {

// Groups by falling count of rows; ties by name.
std::vector<std::string> GroupsOf(const Series& series) {
  std::map<std::string, std::size_t> counts;
  for (const MeasuredRow* row : series.rows) ++counts[PlaceOf(*series.plan, *row).group];
  std::vector<std::string> groups;
  groups.reserve(counts.size());
  for (const auto& [name, count] : counts) groups.push_back(name);
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return counts[a] > counts[b];
  });
  return groups;
}

// A time that was rounded to multiples of d is off by d / sqrt(12) beside what the form misses, so
// that its residual counts less: 1 / sqrt(1 + (d / (sqrt(12) t a))^2), a the width of the loss.
double WeightOf(const MeasuredRow& row, double robust_width) {
  const double rounding = row.resolution / (std::sqrt(12.0) * row.time);
  return 1 / std::hypot(1.0, rounding / robust_width);
}

FitTask TaskOf(const Series& series,
               const FormRows& rows,
               const std::vector<std::string_view>& framework_fields) {
  FitTask task;
  task.rows = &rows;
  task.groups = GroupsOf(series);
  task.robust_width = series.plan->robust_width;
  task.prior_weight = series.plan->prior_weight;
  task.log_times.reserve(series.rows.size());
  task.weights.reserve(series.rows.size());
  task.group.reserve(series.rows.size());
  for (const MeasuredRow* row : series.rows) {
    task.log_times.push_back(std::log(row->time));
    task.weights.push_back(WeightOf(*row, task.robust_width));
    const std::string group = PlaceOf(*series.plan, *row).group;
    const auto found = std::find(task.groups.begin(), task.groups.end(), group);
    task.group.push_back(static_cast<std::size_t>(found - task.groups.begin()));
  }
  for (const std::string_view field : framework_fields) {
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
  return task;
}

double Residual(const FitTask& task, std::size_t row, const std::vector<double>& parameters) {
  const std::vector<double> at = task.LogCoefficients(parameters, task.group[row]);
  return task.log_times[row] - task.rows->LogTime(row, at.data(), nullptr);
}

// Residuals of one fold by what the other folds taught.
struct HeldOut {
  Residuals plain;
  Residuals corrected;
};

std::vector<SizeList> SizesOf(const FormRows& rows, const std::vector<std::size_t>& use) {
  std::vector<SizeList> sizes;
  sizes.reserve(use.size());
  for (const std::size_t i : use) sizes.push_back(rows.SizesOf(i));
  return sizes;
}

Residuals ResidualsOf(const FitTask& task,
                      const std::vector<std::size_t>& use,
                      const std::vector<double>& parameters) {
  Residuals residuals;
  residuals.reserve(use.size());
  for (const std::size_t i : use) residuals.push_back(Residual(task, i, parameters));
  return residuals;
}

// The fold of each row: by its key, or by the architecture of its device.
std::vector<int> FoldsOf(const Series& series) {
  std::map<std::string, int> generations;
  std::vector<int> folds;
  folds.reserve(series.rows.size());
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    const auto next = static_cast<int>(generations.size());
    folds.push_back(
        series.by_generation
            ? generations.emplace(series.rows[i]->device->architecture, next).first->second
            : FoldOf(series.KeyOf(i)));
  }
  return folds;
}

// What the kin of a small series teach: the coefficients of one fit to all of them.
class KinPrior {
 public:
  KinPrior(const Series& series, const KernelChoice& choice) {
    if (series.kin.empty() || series.by_generation) return;
    all_.plan = series.plan;
    all_.by_finer_key = series.by_finer_key;
    all_.rows = series.kin;
    rows_ = PrepareRows(series.plan->form, all_.rows, choice);
    task_ = TaskOf(all_, *rows_, {});
  }

  bool IsKnown() const { return rows_ != nullptr; }
  // Sets the prior of a task that must not know the rows of `fold`; -1: it may know all.
  void SetPrior(FitTask& task, int fold) const {
    std::vector<std::size_t> use;
    use.reserve(all_.rows.size());
    for (std::size_t i = 0; i < all_.rows.size(); ++i) {
      if (FoldOf(all_.KeyOf(i)) != fold) use.push_back(i);
    }
    task.prior = Solve(task_, use, 1).parameters;
  }

 private:
  Series all_;
  std::unique_ptr<FormRows> rows_;
  FitTask task_;
};

// Each fold's fit begins at `first`, the one to all rows: which of several minima is the right one
// is a choice like the kernel's, made once.
HeldOut HeldOutResiduals(FitTask task,
                         const Series& series,
                         const KinPrior* kin,
                         const std::vector<double>* first,
                         bool corrects) {
  const std::size_t count = series.rows.size();
  HeldOut out{Residuals(count), Residuals(count)};
  const std::vector<int> folds = FoldsOf(series);
  const int last = *std::max_element(folds.begin(), folds.end());
  for (int fold = 0; fold <= last; ++fold) {
    std::vector<std::size_t> others;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < count; ++i) (folds[i] == fold ? held : others).push_back(i);
    if (held.empty()) continue;
    if (kin != nullptr && kin->IsKnown()) kin->SetPrior(task, fold);
    const Solution solution =
        Solve(task, others, first == nullptr ? series.plan->starts : 1, first);
    ResidualField field;
    if (corrects && !others.empty()) {
      const Residuals left = ResidualsOf(task, others, solution.parameters);
      field = FitResidual(SizesOf(*task.rows, others), left);
    }
    for (const std::size_t i : held) {
      out.plain[i] = Residual(task, i, solution.parameters);
      out.corrected[i] = out.plain[i] - field.At(task.rows->SizesOf(i));
    }
  }
  return out;
}

void AddBaselines(const Series& series, SeriesFit& fit) {
  const RooflineRows rows(series.rows);
  const FitTask task = TaskOf(series, rows, {});
  fit.held_out_roofline = HeldOutResiduals(task, series, nullptr, nullptr, false).plain;
  fit.datasheet.reserve(series.rows.size());
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    fit.datasheet.push_back(task.log_times[i] - std::log(rows.DatasheetTime(i)));
  }
}

void AddRanges(const FormRows& rows, SeriesFit& fit) {
  for (std::size_t i = 0; i < rows.Count(); ++i) {
    const SizeList sizes = rows.SizesOf(i);
    for (std::size_t j = 0; j < sizes.count; ++j) {
      const auto& [name, value] = sizes.sizes[j];
      SizeRange& range =
          fit.range.try_emplace(std::string(name), SizeRange{value, value}).first->second;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
}

// Every so many of the rows of others, so that all of them are seen.
void AddKin(const std::vector<const MeasuredRow*>& rows, Series& series) {
  if (series.rows.size() >= kFewRows || rows.size() == series.rows.size()) return;
  const std::set<const MeasuredRow*> own(series.rows.begin(), series.rows.end());
  const std::size_t step = (rows.size() + kMostKin - 1) / kMostKin;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % step == 0 || own.contains(rows[i])) series.kin.push_back(rows[i]);
  }
}

std::size_t DistinctKeys(const Series& series) {
  std::set<std::string_view> keys;
  for (const MeasuredRow* row : series.rows) keys.insert(row->key);
  return keys.size();
}

}  // namespace

std::string Series::Name() const {
  std::string name = std::string(plan->family) + " " + format;
  for (const std::string& word : {framework, kernel}) name += word.empty() ? "" : " " + word;
  return name;
}

std::vector<Series> DealSeries(const std::vector<MeasuredRow>& rows) {
  using Name = std::tuple<std::string, std::string_view, std::string, std::string, std::string>;
  std::map<Name, Series> dealt;
  for (const MeasuredRow& row : rows) {
    const FamilyPlan* found = FindPlan(row.family, row.device->kind);
    if (found == nullptr) continue;
    const FamilyPlan& plan = *found;
    SeriesPlace place = PlaceOf(plan, row);
    Series& series = dealt[{row.family, plan.form, place.format, place.framework, place.kernel}];
    series.plan = &plan;
    series.format = place.format.empty() ? "any" : std::move(place.format);
    series.framework = std::move(place.framework);
    series.kernel = std::move(place.kernel);
    series.rows.push_back(&row);
  }
  std::map<std::string, std::vector<const MeasuredRow*>> kin;
  for (const MeasuredRow& row : rows) {
    const FamilyPlan* plan = FindPlan(row.family, row.device->kind);
    if (plan != nullptr && plan->kin) kin[row.family + " " + plan->kin(row)].push_back(&row);
  }
  std::vector<Series> all;
  all.reserve(dealt.size());
  for (auto& [key, series] : dealt) {
    const MeasuredRow& first = *series.rows.front();
    if (series.plan->kin) AddKin(kin[first.family + " " + series.plan->kin(first)], series);
    series.by_finer_key =
        DistinctKeys(series) < kLeastKeys && !series.rows.front()->finer_key.empty();
    all.push_back(std::move(series));
  }
  return all;
}

bool SeriesFit::IsCorrected() const {
  return !held_out_corrected.empty() &&
         SummariseResiduals(held_out_corrected).mape < SummariseResiduals(held_out).mape;
}

SeriesFit FitSeries(const Series& series) {
  const FamilyPlan& plan = *series.plan;
  std::vector<KernelChoice> choices = {{}};
  if (plan.kernels) choices = plan.kernels(*series.rows.front(), *series.rows.front()->device);
  const std::vector<std::string_view>& framework_fields = plan.framework_fields;
  std::vector<std::size_t> all(series.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});

  SeriesFit fit;
  fit.form = plan.form;
  std::unique_ptr<FormRows> rows;
  Solution best;
  for (const KernelChoice& choice : choices) {
    auto attempt = PrepareRows(plan.form, series.rows, choice);
    Solution solution = Solve(TaskOf(series, *attempt, framework_fields), all, plan.starts);
    if (rows != nullptr && !(solution.cost < best.cost)) continue;
    best = std::move(solution);
    rows = std::move(attempt);
    fit.kernel = choice;
  }
  FitTask task = TaskOf(series, *rows, framework_fields);
  const KinPrior kin(series, fit.kernel);
  if (kin.IsKnown()) {
    kin.SetPrior(task, -1);
    best = Solve(task, all, plan.starts);
  }
  fit.infos = rows->Infos();
  fit.groups = task.groups;
  fit.group_fields = task.group_fields;
  fit.parameters = best.parameters;
  fit.starts = best.starts;
  fit.agreeing_starts = best.agreeing;
  std::vector<std::string> keys;
  keys.reserve(all.size());
  for (const std::size_t i : all) keys.push_back(series.KeyOf(i));
  fit.covariance = CovarianceAt(task, all, keys, best.parameters);
  fit.regimes.reserve(all.size());
  for (const std::size_t i : all) fit.regimes.emplace_back(rows->RegimeOf(i));
  AddRanges(*rows, fit);

  fit.in_sample = ResidualsOf(task, all, best.parameters);
  fit.field = FitResidual(SizesOf(*rows, all), fit.in_sample);
  HeldOut held_out = HeldOutResiduals(task, series, &kin, &best.parameters, true);
  fit.held_out = std::move(held_out.plain);
  fit.held_out_corrected = std::move(held_out.corrected);
  AddBaselines(series, fit);
  return fit;
}

Residuals PredictOther(const SeriesFit& fit, const Series& series) {
  const auto rows = PrepareRows(fit.form, series.rows, fit.kernel);
  FitTask task = TaskOf(series, *rows, {});
  task.groups = fit.groups;
  task.group_fields = fit.group_fields;
  Residuals residuals;
  residuals.reserve(series.rows.size());
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    const std::string group = PlaceOf(*series.plan, *series.rows[i]).group;
    const auto found = std::find(fit.groups.begin(), fit.groups.end(), group);
    const bool known = found != fit.groups.end();
    task.group[i] = known ? static_cast<std::size_t>(found - fit.groups.begin()) : 0;
    const double plain = Residual(task, i, fit.parameters);
    residuals.push_back(fit.IsCorrected() ? plain - fit.field.At(rows->SizesOf(i)) : plain);
  }
  return residuals;
}

ErrorSummary SummariseResiduals(const Residuals& residuals) {
  std::vector<double> predicted;
  predicted.reserve(residuals.size());
  for (const double residual : residuals) predicted.push_back(std::exp(-residual));
  return Summarise(predicted, std::vector<double>(residuals.size(), 1.0));
}

}  // namespace roofcast
