// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/csv.h"
#include "models/validation/validate.h"

namespace roofcast {
namespace {

std::string ByText(const RowGroup& group) {
  std::string text;
  for (const auto& key : group.by) text += (text.empty() ? "" : " ") + key.first;
  return text.empty() ? "total" : text;
}

void AddNumber(CsvWriter& csv, const std::optional<double>& value) {
  if (value) {
    csv.Add(*value);
  } else {
    csv.Add("");
  }
}

void AddRow(CsvWriter& csv, const RowGroup& group) {
  std::int64_t excluded = 0;
  for (const auto& test : group.excluded) excluded += test.second;
  csv.Add(NameOf(group.metric)).Add(ByText(group)).Add(group.name);
  csv.Add(group.rows).Add(group.refused).Add(excluded);
  const ErrorFigures* errors = group.errors ? &*group.errors : nullptr;
  const auto figure = [&](double ErrorSummary::*member) -> std::optional<double> {
    return errors != nullptr ? std::optional(errors->predicted.*member) : std::nullopt;
  };
  for (const auto member : {&ErrorSummary::mape,
                            &ErrorSummary::median,
                            &ErrorSummary::p90,
                            &ErrorSummary::worst,
                            &ErrorSummary::bias}) {
    AddNumber(csv, figure(member));
  }
  AddNumber(csv, errors != nullptr ? errors->spearman : std::nullopt);
  const FitsSummary* fits = group.fits ? &*group.fits : nullptr;
  AddNumber(csv, fits != nullptr ? std::optional(fits->predicted.Right()) : std::nullopt);
  const bool held_out = fits != nullptr && fits->cross_validated;
  AddNumber(csv, held_out ? std::optional(fits->cross_validated->Right()) : std::nullopt);
  csv.EndRow();
}

const char* FitsWord(bool fits) {
  return fits ? "fits" : "out of memory";
}

}  // namespace

std::string GroupsCsv(const Validation& validation) {
  CsvWriter csv({"metric",
                 "by",
                 "name",
                 "rows",
                 "refused",
                 "excluded",
                 "mape_percent",
                 "median_percent",
                 "p90_percent",
                 "worst_percent",
                 "bias_percent",
                 "spearman_percent",
                 "right_percent",
                 "right_cross_validated_percent"});
  for (const RowGroup& group : validation.totals) AddRow(csv, group);
  for (const RowGroup& group : validation.groups) AddRow(csv, group);
  return csv.text();
}

std::string RowsCsv(const Validation& validation) {
  CsvWriter csv({"row",
                 "metric",
                 "regime",
                 "source",
                 "gpu",
                 "model",
                 "framework",
                 "plan",
                 "status",
                 "reason",
                 "fold",
                 "measured_bytes",
                 "predicted_bytes",
                 "error_percent",
                 "measured_fits",
                 "predicted_fits",
                 "cross_validated_fits"});
  for (const RowOutcome& row : validation.rows) {
    const bool predicted = row.status == RowStatus::kPredicted;
    csv.Add(row.row);
    csv.Add(row.figure == nullptr ? "" : NameOf(row.figure->metric));
    csv.Add(row.figure == nullptr ? "" : row.figure->regime);
    csv.Add(row.source).Add(row.gpu).Add(row.model).Add(row.framework).Add(row.plan);
    csv.Add(NameOf(row.status)).Add(row.reason);
    csv.Add(predicted ? std::to_string(row.fold) : "");
    if (predicted && !row.fits) {
      csv.Add(row.measured).Add(row.predicted).Add(100 * (row.predicted / row.measured - 1));
    } else {
      csv.Add("").Add("").Add("");
    }
    csv.Add(row.fits ? FitsWord(row.fits->measured) : "");
    csv.Add(row.fits ? FitsWord(row.fits->predicted) : "");
    const bool held_out = row.fits && row.fits->cross_validated;
    csv.Add(held_out ? FitsWord(*row.fits->cross_validated) : "");
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace roofcast
