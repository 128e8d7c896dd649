// SPDX-License-Identifier: Apache-2.0
#include "models/validation/groups.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace roofcast {
namespace {

// What rows may be grouped by. Of one regime everything counts, else what the metric's total does.
struct Key {
  std::string_view name;
  std::string (*value)(const RowOutcome&);
  bool is_regime = false;
};
const std::array<Key, 5> kKeys = {{
    {"source", [](const RowOutcome& row) { return row.source; }},
    {"gpu", [](const RowOutcome& row) { return row.gpu; }},
    {"model", [](const RowOutcome& row) { return row.model; }},
    {"framework", [](const RowOutcome& row) { return row.framework; }},
    {"regime", [](const RowOutcome& row) { return std::string(row.figure->regime); }, true},
}};

struct Members {
  std::vector<const RowOutcome*> predicted;
  std::int64_t refused = 0;
  std::map<std::string, std::int64_t> excluded;

  void Add(const RowOutcome& row) {
    switch (row.status) {
      case RowStatus::kPredicted:
        predicted.push_back(&row);
        break;
      case RowStatus::kRefused:
        ++refused;
        break;
      case RowStatus::kExcluded:
        ++excluded[row.reason];
        break;
    }
  }
};

FitsSummary SummariseFits(const std::vector<const RowOutcome*>& rows) {
  FitsSummary summary;
  Confusion held_out;
  bool all_held_out = true;
  for (const RowOutcome* row : rows) {
    const FitsOutcome& fits = *row->fits;
    summary.predicted.Add(fits.measured, fits.predicted);
    summary.by_states_alone.Add(fits.measured, fits.by_states_alone);
    all_held_out = all_held_out && fits.cross_validated.has_value();
    held_out.Add(fits.measured, fits.cross_validated.value_or(false));
  }
  if (all_held_out) summary.cross_validated = held_out;
  const Confusion& counts = summary.predicted;
  const std::int64_t fitted = counts.fits_as_fits + counts.fits_as_oom;
  const std::int64_t commoner = std::max(fitted, counts.Rows() - fitted);
  summary.majority = 100 * static_cast<double>(commoner) / static_cast<double>(counts.Rows());
  return summary;
}

ErrorFigures SummariseErrors(const std::vector<const RowOutcome*>& rows) {
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> held_out;
  for (const RowOutcome* row : rows) {
    predicted.push_back(row->predicted);
    measured.push_back(row->measured);
    if (row->cross_validated) held_out.push_back(*row->cross_validated);
  }
  ErrorFigures figures;
  figures.predicted = Summarise(predicted, measured);
  if (held_out.size() == measured.size()) figures.cross_validated = Summarise(held_out, measured);
  if (const auto rank = RankCorrelation(predicted, measured)) figures.spearman = 100 * *rank;
  return figures;
}

RowGroup MakeGroup(std::string name,
                   Metric metric,
                   std::map<std::string, std::string> by,
                   Members members) {
  RowGroup group;
  group.name = std::move(name);
  group.metric = metric;
  group.by = std::move(by);
  group.rows = static_cast<std::int64_t>(members.predicted.size());
  group.refused = members.refused;
  group.excluded = std::move(members.excluded);
  if (members.predicted.empty()) return group;
  if (metric == Metric::kFits) {
    group.fits = SummariseFits(members.predicted);
  } else {
    group.errors = SummariseErrors(members.predicted);
  }
  return group;
}

}  // namespace

void Confusion::Add(bool measured_fits, bool predicted_fits) {
  if (measured_fits) {
    ++(predicted_fits ? fits_as_fits : fits_as_oom);
  } else {
    ++(predicted_fits ? oom_as_fits : oom_as_oom);
  }
}

std::int64_t Confusion::Rows() const {
  return fits_as_fits + fits_as_oom + oom_as_fits + oom_as_oom;
}

double Confusion::Right() const {
  if (Rows() == 0) return 0;
  return 100 * static_cast<double>(fits_as_fits + oom_as_oom) / static_cast<double>(Rows());
}

std::vector<RowGroup> Totals(const std::vector<RowOutcome>& outcomes) {
  std::map<Metric, Members> totals;
  for (const RowOutcome& row : outcomes) {
    if (row.figure != nullptr && row.figure->counts) totals[row.figure->metric].Add(row);
  }
  std::vector<RowGroup> groups;
  groups.reserve(totals.size());
  for (auto& [metric, members] : totals) {
    groups.push_back(MakeGroup(std::string(NameOf(metric)), metric, {}, std::move(members)));
  }
  return groups;
}

std::vector<RowGroup> Groups(const std::vector<RowOutcome>& outcomes) {
  std::vector<RowGroup> groups;
  for (const Key& key : kKeys) {
    std::map<std::pair<Metric, std::string>, Members> sets;
    for (const RowOutcome& row : outcomes) {
      if (row.figure == nullptr || !(row.figure->counts || key.is_regime)) continue;
      std::string value = key.value(row);
      if (!value.empty()) sets[{row.figure->metric, std::move(value)}].Add(row);
    }
    for (auto& [id, members] : sets) {
      groups.push_back(
          MakeGroup(id.second, id.first, {{std::string(key.name), id.second}}, std::move(members)));
    }
  }
  return groups;
}

}  // namespace roofcast
