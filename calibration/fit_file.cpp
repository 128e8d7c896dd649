// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "calibration/cross_validation.h"
#include "core/output.h"
#include "core/spec_writer.h"
#include "core/text.h"
#include "core/units.h"
#include "core/version.h"

namespace roofcast {
namespace {

std::string Rounded(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string ErrorsOf(const ErrorSummary& errors) {
  return "MAPE " + Rounded("%.1f", errors.mape) + " %, median " + Rounded("%.1f", errors.median) +
         " %, p90 " + Rounded("%.1f", errors.p90) + " %, bias " + Rounded("%+.1f", errors.bias) +
         " %";
}

std::string DescriptionOf(const FamilyReport& report, const std::string& date) {
  std::string text = "data " + Joined(report.files);
  if (!report.sources.empty()) text += " (source " + Joined(report.sources) + ")";
  text += ", sha256 of its sorted rows " + report.data_hash + "; ranges";
  for (const auto& [name, range] : report.ranges) {
    text += " " + name + " " + std::to_string(range.first) + ".." + std::to_string(range.second);
  }
  text += "; cross-validated in " + std::to_string(kFolds) + " folds by shape " +
          ErrorsOf(report.cross_validated) + "; in-sample " + ErrorsOf(report.in_sample) +
          "; residual spread " + Rounded("%.3f", report.fit.residual_spread) + "; fitted " + date +
          " by roofcast " + std::string(kVersion);
  return text;
}

std::string NoteOf(const FamilyFit& fit, std::size_t parameter) {
  switch (fit.status[parameter]) {
    case CoefficientStatus::kAtBound:
      return "at its bound";
    case CoefficientStatus::kAssumed:
      return "not identified by the data";
    case CoefficientStatus::kFitted:
      break;
  }
  const double error = fit.standard_errors[parameter].value_or(0);
  return "standard error " +
         (parameter == 0 ? FormatRounded(Seconds::kDim, error) : Rounded("%.2g", error));
}

}  // namespace

Fit ToFit(const Calibration& calibration, const std::string& date) {
  Fit fit = calibration.assumed;
  fit.name = calibration.device.name;
  std::vector<std::string> names;
  for (const FamilyReport& report : calibration.families) {
    const std::string family(NameOf(report.fit.family));
    names.push_back(family);
    MemberOf(fit.coefficients, report.fit.family) = report.fit.coefficients;

    auto reference = std::make_shared<Reference>();
    reference->title = "Fit of " + family + " on " + calibration.device.title + " to " +
                       std::to_string(report.rows) + " measured rows of " +
                       std::to_string(report.keys) + " shapes";
    reference->year = ParseInteger(date.substr(0, 4)).value_or(0);
    reference->kind = SourceKind::kFitted;
    reference->note = DescriptionOf(report, date);
    std::string key = "fit-" + calibration.device.name + "-" + family;
    std::replace(key.begin(), key.end(), '_', '-');
    for (std::size_t i = 0; i < kParameters; ++i) {
      Source& source =
          fit.sources["coefficients." + family + "." + std::string(kParameterNames[i])];
      if (report.fit.status[i] == CoefficientStatus::kAssumed) {
        source.note = NoteOf(report.fit, i);
      } else {
        source = {key, SourceKind::kFitted, NoteOf(report.fit, i), {}, reference};
      }
    }
  }
  fit.title = calibration.device.title + ": " + Joined(names) + " fitted to measurements";
  return fit;
}

std::string FormatFit(const Calibration& calibration, const std::string& date) {
  return WriteSpec(ToFit(calibration, date));
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
