// SPDX-License-Identifier: Apache-2.0
#include "calibration/report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/table.h"
#include "core/text.h"
#include "core/units.h"
#include "models/steps/json.h"

namespace roofcast {
namespace {

std::string Rounded(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Shown(std::size_t parameter, double value) {
  if (parameter == 0) return FormatRounded(Seconds::kDim, value);
  return Rounded(value < 10 ? "%.3f" : "%.1f", value);
}

std::string_view Remark(CoefficientStatus status) {
  switch (status) {
    case CoefficientStatus::kAtBound:
      return "at its bound";
    case CoefficientStatus::kAssumed:
      return "not identified by the data: assumed";
    case CoefficientStatus::kFitted:
      break;
  }
  return "";
}

std::string CoefficientTable(const FamilyFit& fit) {
  Table table({{"coefficient", Align::kLeft},
               {"value", Align::kRight},
               {"+- error", Align::kRight},
               {"", Align::kLeft}});
  const ParameterValues values = ValuesOf(fit.coefficients);
  for (std::size_t i = 0; i < kParameters; ++i) {
    std::string name(kParameterNames[i]);
    std::replace(name.begin(), name.end(), '_', ' ');
    table.AddRow({name,
                  Shown(i, values[i]),
                  fit.standard_errors[i] ? Shown(i, *fit.standard_errors[i]) : "-",
                  std::string(Remark(fit.status[i]))});
  }
  return table.Text(2);
}

std::string ErrorTable(const FamilyReport& report) {
  Table table({{"error, %", Align::kLeft},
               {"MAPE", Align::kRight},
               {"median", Align::kRight},
               {"p90", Align::kRight},
               {"bias", Align::kRight}});
  const auto add = [&](const char* name, const ErrorSummary& errors) {
    table.AddRow({name,
                  Rounded("%.1f", errors.mape),
                  Rounded("%.1f", errors.median),
                  Rounded("%.1f", errors.p90),
                  Rounded("%+.1f", errors.bias)});
  };
  add("datasheet roofline", report.datasheet);
  add("assumed coefficients", report.assumed);
  add("this fit, in-sample", report.in_sample);
  add("this fit, cross-validated", report.cross_validated);
  return table.Text(2);
}

std::string FamilyText(const FamilyReport& report) {
  std::string text = std::string(NameOf(report.fit.family)) + ": " + std::to_string(report.rows) +
                     " rows of " + std::to_string(report.keys) + " shapes from ";
  for (std::size_t i = 0; i < report.files.size(); ++i) {
    text += (i > 0 ? ", " : "") + report.files[i];
  }
  return text + "\n" + CoefficientTable(report.fit) + "\n" + ErrorTable(report);
}

Json ToJson(const ErrorSummary& errors) {
  return {{"rows", errors.rows},
          {"mape", errors.mape},
          {"median", errors.median},
          {"p90", errors.p90},
          {"bias", errors.bias}};
}

Json ToJson(const FamilyReport& report) {
  Json coefficients = Json::object();
  const ParameterValues values = ValuesOf(report.fit.coefficients);
  for (std::size_t i = 0; i < kParameters; ++i) {
    const auto& error = report.fit.standard_errors[i];
    coefficients[std::string(kParameterNames[i]) + (i == 0 ? "_s" : "")] = {
        {"value", values[i]},
        {"standard_error", error ? Json(*error) : Json(nullptr)},
        {"status", NameOf(report.fit.status[i])}};
  }
  Json ranges = Json::object();
  for (const auto& [name, range] : report.ranges) ranges[name] = {range.first, range.second};
  return {{"name", NameOf(report.fit.family)},
          {"rows", report.rows},
          {"keys", report.keys},
          {"files", report.files},
          {"sources", report.sources},
          {"data_hash", report.data_hash},
          {"ranges", ranges},
          {"coefficients", coefficients},
          {"residual_spread", report.fit.residual_spread},
          {"errors",
           {{"datasheet", ToJson(report.datasheet)},
            {"assumed", ToJson(report.assumed)},
            {"in_sample", ToJson(report.in_sample)},
            {"cross_validated", ToJson(report.cross_validated)}}}};
}

}  // namespace

std::string FormatCalibration(const Calibration& calibration) {
  std::string text = calibration.device.name + ": " + calibration.device.title + "\n";
  for (const FamilyReport& report : calibration.families) text += "\n" + FamilyText(report);
  if (calibration.skipped.empty()) return text;
  Table table({{"rows", Align::kRight}, {"not used because", Align::kLeft}});
  for (const auto& [reason, count] : calibration.skipped) {
    table.AddRow({std::to_string(count), reason});
  }
  return text + "\n" + table.Text(2);
}

Json ToJson(const Calibration& calibration) {
  Json document = DocumentHeader("calibrate");
  document["device"] = calibration.device.name;
  Json families = Json::array();
  for (const FamilyReport& report : calibration.families) families.push_back(ToJson(report));
  document["families"] = std::move(families);
  Json skipped = Json::array();
  for (const auto& [reason, count] : calibration.skipped) {
    skipped.push_back({{"reason", reason}, {"rows", count}});
  }
  document["skipped_rows"] = std::move(skipped);
  return document;
}

}  // namespace roofcast
