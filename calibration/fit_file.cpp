// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "calibration/spread.h"
#include "core/output.h"
#include "core/spec_writer.h"
#include "core/text.h"
#include "core/version.h"

namespace roofcast {
namespace {

// With so many digits, rounding moves no prediction by a hundredth of a fit's error.
constexpr int kDigits = 5;

// Two siblings that agree say little of a third.
constexpr double kLeastWidening = 0.03;

double Rounded(double value, int digits = kDigits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return ParseNumber(text.data()).value_or(value);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

FitErrors ErrorsOf(const Residuals& residuals) {
  const ErrorSummary errors = SummariseResiduals(residuals);
  constexpr int kErrorDigits = 3;
  return {Rounded(errors.mape, kErrorDigits),
          Rounded(errors.median, kErrorDigits),
          Rounded(errors.p90, kErrorDigits)};
}

// Lower triangle, row by row.
std::string PackedCovariance(const SeriesFit& fit) {
  constexpr int kCovarianceDigits = 3;
  const std::size_t width = fit.parameters.size();
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = fit.covariance[i * width + j];
      text += (text.empty() ? "" : " ") + FormatExact(Rounded(value, kCovarianceDigits));
    }
  }
  return text;
}

std::string ReferenceKey(const Calibration& calibration, const SeriesReport& report) {
  std::string key = "fit-" + calibration.name + "-" + report.name;
  for (char& letter : key) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (!plain) letter = '-';
  }
  return key;
}

std::shared_ptr<Reference> ReferenceOf(const Calibration& calibration,
                                       const SeriesReport& report,
                                       const std::string& date) {
  auto reference = std::make_shared<Reference>();
  reference->title = "Fit of " + report.name + " on " + calibration.title + " to " +
                     std::to_string(report.measured.size()) + " measured rows of " +
                     std::to_string(report.distinct_keys) + " shapes";
  reference->year = ParseInteger(date.substr(0, 4)).value_or(0);
  reference->kind = SourceKind::kFitted;
  reference->note = "data " + Joined(report.files);
  if (!report.sources.empty()) reference->note += " (source " + Joined(report.sources) + ")";
  reference->note += "; fitted " + date + " by roofcast " + std::string(kVersion);
  return reference;
}

}  // namespace

FittedSeries ToFittedSeries(const SeriesReport& report) {
  const SeriesFit& fit = report.fit;
  FittedSeries series;
  series.family = report.family;
  series.format = report.format;
  if (!report.framework.empty()) series.framework = report.framework;
  if (!report.kernel.empty()) series.kernel = report.kernel;
  series.form = fit.form;
  series.choices.insert(fit.kernel.begin(), fit.kernel.end());
  for (std::size_t i = 0; i < fit.infos.size(); ++i) {
    const std::string unit(fit.infos[i].unit);
    series.coefficients[std::string(fit.infos[i].name)] =
        FormatExact(Rounded(std::exp(fit.parameters[i]))) + (unit.empty() ? "" : " " + unit);
  }
  std::size_t at = fit.infos.size();
  for (std::size_t group = 1; group < fit.groups.size(); ++group) {
    for (const std::size_t field : fit.group_fields) {
      series.factors[fit.groups[group]][std::string(fit.infos[field].name)] =
          Rounded(std::exp(fit.parameters[at++]));
    }
  }
  // The reference framework is known too: its factors are 1.
  if (!fit.group_fields.empty() && fit.groups.size() > 1) series.factors[fit.groups.front()];
  series.covariance = PackedCovariance(fit);
  series.spread = SpreadOfResiduals(fit.Best(), fit.regimes);
  for (RegimeSpread& spread : series.spread) {
    spread.low = Rounded(spread.low, 4);
    spread.high = Rounded(spread.high, 4);
  }
  series.range = fit.range;
  series.rows = static_cast<std::int64_t>(report.measured.size());
  series.keys = report.distinct_keys;
  series.data_hash = report.data_hash;
  series.in_sample = ErrorsOf(fit.in_sample);
  series.cross_validated = ErrorsOf(fit.held_out);
  if (fit.IsCorrected()) {
    series.residual =
        FittedResidual{fit.field.length, FormatPoints(fit.field), ErrorsOf(fit.held_out_corrected)};
  }
  return series;
}

Fit ToFit(const Calibration& calibration, const std::string& date) {
  Fit fit = calibration.assumed;
  fit.name = calibration.name;
  if (calibration.device) fit.device = calibration.device->name;
  for (const SiblingError& error : calibration.siblings) {
    double& widening = fit.transfer[error.family].sibling;
    widening = std::max(widening, std::max(kLeastWidening, Rounded(error.widening, 3)));
  }
  fit.series.clear();
  std::vector<std::string> families;
  for (const SeriesReport& report : calibration.series) {
    if (std::find(families.begin(), families.end(), report.family) == families.end()) {
      families.push_back(report.family);
    }
    const std::string path = "series[" + std::to_string(fit.series.size()) + "].rows";
    Source& source = fit.sources[path];
    source.key = ReferenceKey(calibration, report);
    source.kind = SourceKind::kFitted;
    source.own = ReferenceOf(calibration, report, date);
    fit.series.push_back(ToFittedSeries(report));
  }
  fit.title = calibration.title + ": " + Joined(families) + " fitted to measurements";
  return fit;
}

std::string FormatFit(const Calibration& calibration, const std::string& date) {
  const Fit fit = ToFit(calibration, date);
  std::string text = WriteSpec(fit);
  if (!fit.series.empty()) text += "---\n";
  for (const FittedSeries& series : fit.series) {
    text += "- covariance: " + series.covariance + "\n";
    if (series.residual) text += "  points: " + series.residual->points + "\n";
  }
  return text;
}

void SaveFit(const Calibration& calibration, const std::string& date, const std::string& path) {
  if (path.empty()) throw OutputError("the path is empty; name a file", false);
  WriteOutput(path, FormatFit(calibration, date));
}

std::string Today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

}  // namespace roofcast
