// SPDX-License-Identifier: Apache-2.0
#include "models/steps/json.h"
#include "models/validation/validate.h"

namespace roofcast {
namespace {

Json OrNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ToJson(const ErrorSummary& errors) {
  return {{"mape", errors.mape},
          {"median", errors.median},
          {"p90", errors.p90},
          {"worst", errors.worst},
          {"bias", errors.bias}};
}

Json ToJson(const Confusion& confusion) {
  return {{"right", confusion.Right()},
          {"fits_as_fits", confusion.fits_as_fits},
          {"fits_as_oom", confusion.fits_as_oom},
          {"oom_as_fits", confusion.oom_as_fits},
          {"oom_as_oom", confusion.oom_as_oom}};
}

void AddErrors(const std::optional<ErrorFigures>& errors, Json& json) {
  if (errors) {
    json.update(ToJson(errors->predicted));
  } else {
    for (const char* name : {"mape", "median", "p90", "worst", "bias"}) json[name] = nullptr;
  }
  json["spearman"] = errors ? OrNull(errors->spearman) : Json(nullptr);
  json["coverage90"] = nullptr;  // no prediction has an interval yet
  json["cross_validated"] = nullptr;
  if (errors && errors->cross_validated) json["cross_validated"] = ToJson(*errors->cross_validated);
}

void AddFits(const std::optional<FitsSummary>& fits, Json& json) {
  json["right"] = fits ? Json(fits->predicted.Right()) : Json(nullptr);
  json["confusion"] = nullptr;
  json["cross_validated"] = nullptr;
  json["baselines"] = nullptr;
  if (!fits) return;
  json["confusion"] = ToJson(fits->predicted);
  json["confusion"].erase("right");
  if (fits->cross_validated) json["cross_validated"] = ToJson(*fits->cross_validated);
  json["baselines"] = {{"majority", {{"right", fits->majority}}},
                       {"states_alone", ToJson(fits->by_states_alone)}};
}

Json ToJson(const RowGroup& group) {
  Json json = {{"name", group.name}, {"metric", NameOf(group.metric)}};
  json["by"] = Json::object();
  for (const auto& [key, value] : group.by) json["by"][key] = value;
  json["rows"] = group.rows;
  json["refused"] = group.refused;
  json["excluded"] = Json::object();
  for (const auto& [test, count] : group.excluded) json["excluded"][test] = count;
  if (group.metric == Metric::kFits) {
    AddFits(group.fits, json);
  } else {
    AddErrors(group.errors, json);
  }
  return json;
}

Json ToJson(const std::vector<RowGroup>& groups) {
  Json json = Json::array();
  for (const RowGroup& group : groups) json.push_back(ToJson(group));
  return json;
}

}  // namespace

Json ToJson(const Validation& validation) {
  Json json = DocumentHeader("validate");
  json["file"] = validation.file;
  json["kind"] = validation.kind;
  json["data_hash"] = validation.data_hash;
  json["totals"] = ToJson(validation.totals);
  json["groups"] = ToJson(validation.groups);
  json["refused_rows"] = Json::array();
  for (const RowOutcome& row : validation.rows) {
    if (row.status != RowStatus::kRefused) continue;
    const Json metric = row.figure == nullptr ? Json(nullptr) : Json(NameOf(row.figure->metric));
    json["refused_rows"].push_back({{"row", row.row}, {"reason", row.reason}, {"metric", metric}});
  }
  return json;
}

}  // namespace roofcast
