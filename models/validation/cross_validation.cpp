// SPDX-License-Identifier: Apache-2.0
#include "models/validation/cross_validation.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/error.h"
#include "models/validation/folds.h"

namespace roofcast {
namespace {

using Rows = std::vector<RowOutcome*>;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void CrossValidateMemory(const Rows& held, const Rows& others) {
  std::vector<double> missing;
  missing.reserve(others.size());
  for (const RowOutcome* row : others) missing.push_back(row->measured - row->predicted);
  const double constant = Median(std::move(missing));
  for (RowOutcome* row : held) row->cross_validated = row->predicted + constant;
}

void CrossValidateFits(const Rows& held, const Rows& others) {
  std::vector<const FitsOutcome*> rows;
  rows.reserve(others.size());
  for (const RowOutcome* row : others) rows.push_back(&*row->fits);
  const double threshold = BestThreshold(rows);
  for (RowOutcome* row : held) row->fits->cross_validated = row->fits->pressure <= threshold;
}

void CrossValidateSet(const Rows& rows) {
  for (int fold = 0; fold < kFolds; ++fold) {
    Rows held;
    Rows others;
    for (RowOutcome* row : rows) (row->fold == fold ? held : others).push_back(row);
    if (held.empty() || others.empty()) continue;
    if (held.front()->fits) {
      CrossValidateFits(held, others);
    } else {
      CrossValidateMemory(held, others);
    }
  }
}

}  // namespace

double BestThreshold(const std::vector<const FitsOutcome*>& rows) {
  ROOFCAST_CHECK(!rows.empty());
  std::vector<const FitsOutcome*> sorted = rows;
  std::sort(sorted.begin(), sorted.end(), [](const FitsOutcome* a, const FitsOutcome* b) {
    return a->pressure < b->pressure;
  });
  // Thresholds between rows: below all of them every run that is out of memory is right.
  std::int64_t right = std::count_if(
      sorted.begin(), sorted.end(), [](const FitsOutcome* row) { return !row->measured; });
  std::int64_t most = right;
  std::vector<double> best = {sorted.front()->pressure / 2};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    right += sorted[i]->measured ? 1 : -1;
    const bool last = i + 1 == sorted.size();
    if (!last && sorted[i + 1]->pressure == sorted[i]->pressure) continue;
    const double threshold =
        last ? sorted[i]->pressure * 2 : (sorted[i]->pressure + sorted[i + 1]->pressure) / 2;
    if (right > most) best.clear();
    if (right >= most) best.push_back(threshold);
    most = std::max(most, right);
  }
  return best[best.size() / 2];
}

void CrossValidate(std::vector<RowOutcome>& outcomes) {
  std::map<const TableMetric*, Rows> sets;
  for (RowOutcome& outcome : outcomes) {
    if (outcome.status == RowStatus::kPredicted) sets[outcome.figure].push_back(&outcome);
  }
  for (const auto& set : sets) CrossValidateSet(set.second);
}

}  // namespace roofcast
