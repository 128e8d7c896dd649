// SPDX-License-Identifier: Apache-2.0
#include "calibration/report.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "calibration/spread.h"
#include "core/table.h"
#include "core/text.h"
#include "models/steps/json.h"

namespace roofcast {
namespace {

std::string Rounded(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

double StandardError(const SeriesFit& fit, std::size_t parameter) {
  return std::sqrt(fit.covariance[parameter * (fit.parameters.size() + 1)]);
}

// Why a coefficient's error says less than it seems.
std::string_view StatusOf(const SeriesFit& fit, std::size_t parameter) {
  const FitRange& range = fit.infos[parameter].range;
  const double value = std::exp(fit.parameters[parameter]);
  constexpr double kTouch = 1e-4;
  if (value < range.low * (1 + kTouch) || value > range.high * (1 - kTouch)) return "at_bound";
  // The data leaves the coefficient within a factor of e of nowhere: the prior holds it.
  return StandardError(fit, parameter) > 1 ? "not_identified" : "fitted";
}

std::string_view Remark(std::string_view status) {
  if (status == "at_bound") return "at its bound";
  return status == "not_identified" ? "hardly identified by the data" : "";
}

std::string CoefficientTable(const SeriesFit& fit) {
  Table table({{"coefficient", Align::kLeft},
               {"value", Align::kRight},
               {"+- %", Align::kRight},
               {"", Align::kLeft}});
  for (std::size_t i = 0; i < fit.infos.size(); ++i) {
    const std::string unit(fit.infos[i].unit);
    const std::string_view status = StatusOf(fit, i);
    table.AddRow({std::string(fit.infos[i].name),
                  Rounded("%.3g", std::exp(fit.parameters[i])) + (unit.empty() ? "" : " " + unit),
                  status == "at_bound" ? "-" : Rounded("%.0f", 100 * StandardError(fit, i)),
                  std::string(Remark(status))});
  }
  std::size_t at = fit.infos.size();
  for (std::size_t group = 1; group < fit.groups.size(); ++group) {
    for (const std::size_t field : fit.group_fields) {
      table.AddRow({Printable(fit.groups[group]) + " " + std::string(fit.infos[field].name),
                    "x" + Rounded("%.3f", std::exp(fit.parameters[at])),
                    Rounded("%.0f", 100 * StandardError(fit, at)),
                    ""});
      ++at;
    }
  }
  return table.Text(2);
}

std::string ErrorTable(const SeriesReport& report) {
  Table table({{"error, %", Align::kLeft},
               {"MAPE", Align::kRight},
               {"median", Align::kRight},
               {"p90", Align::kRight},
               {"bias", Align::kRight}});
  const auto add = [&](const char* name, const Residuals& residuals) {
    const ErrorSummary errors = SummariseResiduals(residuals);
    table.AddRow({name,
                  Rounded("%.1f", errors.mape),
                  Rounded("%.1f", errors.median),
                  Rounded("%.1f", errors.p90),
                  Rounded("%+.1f", errors.bias)});
  };
  const SeriesFit& fit = report.fit;
  add("datasheet roofline", fit.datasheet);
  add("roofline, two efficiencies and launch, cross-validated", fit.held_out_roofline);
  add("this form, in-sample", fit.in_sample);
  add("this form, cross-validated", fit.held_out);
  add("with its smooth correction, cross-validated", fit.held_out_corrected);
  return table.Text(2);
}

double CoverageOf(const SeriesReport& report) {
  return HeldOutCoverage(report.fit.Best(), report.fit.regimes, report.keys);
}

std::string SeriesText(const SeriesReport& report) {
  std::string text =
      report.name + ": " + std::to_string(report.measured.size()) + " rows of " +
      std::to_string(report.distinct_keys) +
      (report.by_finer_key ? " splits of one model or a few, from " : " shapes from ");
  for (std::size_t i = 0; i < report.files.size(); ++i) {
    text += (i > 0 ? ", " : "") + report.files[i];
  }
  text += "\n  form " + report.fit.form;
  for (const auto& [name, value] : report.fit.kernel) {
    text += ", " + name + " " + std::to_string(value);
  }
  text += "; " + std::to_string(report.fit.agreeing_starts) + " of " +
          std::to_string(report.fit.starts) + " starts ended at the same cost within 1 %\n";
  return text + CoefficientTable(report.fit) + "\n" + ErrorTable(report) +
         "  90 % intervals hold " + Rounded("%.0f", CoverageOf(report)) + " % of rows left out\n";
}

std::string SiblingText(const std::vector<SiblingError>& siblings) {
  if (siblings.empty()) return "";
  Table table({{"predicted", Align::kLeft},
               {"by the fit of", Align::kLeft},
               {"family", Align::kLeft},
               {"MAPE", Align::kRight},
               {"bias", Align::kRight},
               {"in 90 %", Align::kRight},
               {"widening", Align::kRight}});
  for (const SiblingError& error : siblings) {
    table.AddRow({error.to,
                  error.from,
                  error.family,
                  Rounded("%.1f", error.errors.mape),
                  Rounded("%+.1f", error.errors.bias),
                  Rounded("%.0f", error.coverage),
                  Rounded("%.3f", error.widening)});
  }
  return "\n" + table.Text(2);
}

Json ToJson(const Residuals& residuals) {
  const ErrorSummary errors = SummariseResiduals(residuals);
  return {{"rows", errors.rows},
          {"mape", errors.mape},
          {"median", errors.median},
          {"p90", errors.p90},
          {"bias", errors.bias}};
}

Json ToJson(const SeriesReport& report) {
  const SeriesFit& fit = report.fit;
  Json coefficients = Json::object();
  for (std::size_t i = 0; i < fit.infos.size(); ++i) {
    coefficients[std::string(fit.infos[i].name)] = {{"value", std::exp(fit.parameters[i])},
                                                    {"unit", fit.infos[i].unit},
                                                    {"relative_error", StandardError(fit, i)},
                                                    {"status", StatusOf(fit, i)}};
  }
  Json factors = Json::object();
  std::size_t at = fit.infos.size();
  for (std::size_t group = 1; group < fit.groups.size(); ++group) {
    for (const std::size_t field : fit.group_fields) {
      factors[fit.groups[group]][std::string(fit.infos[field].name)] = {
          {"value", std::exp(fit.parameters[at])}, {"relative_error", StandardError(fit, at)}};
      ++at;
    }
  }
  Json range = Json::object();
  for (const auto& [name, sizes] : fit.range) range[name] = {sizes.low, sizes.high};
  Json spread = Json::array();
  for (const RegimeSpread& one : SpreadOfResiduals(fit.Best(), fit.regimes)) {
    spread.push_back(
        {{"regime", one.regime}, {"rows", one.rows}, {"low", one.low}, {"high", one.high}});
  }
  return {{"name", report.name},
          {"family", report.family},
          {"format", report.format},
          {"framework", report.framework},
          {"kernel", report.kernel},
          {"form", fit.form},
          {"choices", fit.kernel},
          {"rows", report.measured.size()},
          {"keys", report.distinct_keys},
          {"by_finer_key", report.by_finer_key},
          {"files", report.files},
          {"sources", report.sources},
          {"data_hash", report.data_hash},
          {"range", range},
          {"coefficients", coefficients},
          {"factors", factors},
          {"starts", fit.starts},
          {"agreeing_starts", fit.agreeing_starts},
          {"mode", fit.IsCorrected() ? "hybrid" : "analytical"},
          {"spread", spread},
          {"coverage90", CoverageOf(report)},
          {"errors",
           {{"datasheet", ToJson(fit.datasheet)},
            {"roofline", ToJson(fit.held_out_roofline)},
            {"in_sample", ToJson(fit.in_sample)},
            {"analytical", ToJson(fit.held_out)},
            {"hybrid", ToJson(fit.held_out_corrected)}}}};
}

}  // namespace

std::string FormatCalibration(const Calibration& calibration) {
  std::string text = calibration.name + ": " + calibration.title + "\n";
  for (const SeriesReport& report : calibration.series) text += "\n" + SeriesText(report);
  text += SiblingText(calibration.siblings);
  if (calibration.skipped.empty()) return text;
  Table table({{"rows", Align::kRight}, {"not used because", Align::kLeft}});
  for (const auto& [reason, count] : calibration.skipped) {
    table.AddRow({std::to_string(count), reason});
  }
  return text + "\n" + table.Text(2);
}

Json ToJson(const Calibration& calibration) {
  Json document = DocumentHeader("calibrate");
  document["device"] = calibration.name;
  Json series = Json::array();
  for (const SeriesReport& report : calibration.series) series.push_back(ToJson(report));
  document["series"] = std::move(series);
  Json skipped = Json::array();
  for (const auto& [reason, count] : calibration.skipped) {
    skipped.push_back({{"reason", reason}, {"rows", count}});
  }
  Json siblings = Json::array();
  for (const SiblingError& error : calibration.siblings) {
    siblings.push_back({{"from", error.from},
                        {"to", error.to},
                        {"family", error.family},
                        {"rows", error.errors.rows},
                        {"mape", error.errors.mape},
                        {"median", error.errors.median},
                        {"bias", error.errors.bias},
                        {"coverage90", error.coverage},
                        {"widening", error.widening}});
  }
  document["siblings"] = std::move(siblings);
  document["skipped_rows"] = std::move(skipped);
  return document;
}

}  // namespace roofcast
