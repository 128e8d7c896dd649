// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/series.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "core/error.h"
#include "hardware/catalog.h"

namespace roofcast::cli {
namespace {

struct Words {
  std::vector<std::string> files;
  std::map<std::string, std::string> flags;
};

Words Parse(const std::vector<std::string>& words) {
  Words parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--regimes") {
      parsed.flags[words[i]] = "yes";
    } else if (words[i].starts_with("--") && i + 1 < words.size()) {
      parsed.flags[words[i]] = words[i + 1];
      ++i;
    } else {
      parsed.files.push_back(words[i]);
    }
  }
  return parsed;
}

void PrintFit(const Series& series, const SeriesFit& fit, double seconds, bool regimes) {
  std::printf(
      "%-44s rows %5zu  in-sample %5.1f  cv %5.1f  median %5.1f  p90 %5.1f  bias %+5.1f  (%.1f "
      "s)\n",
      series.Name().c_str(),
      series.rows.size(),
      fit.in_sample.mape,
      fit.cross_validated.mape,
      fit.cross_validated.median,
      fit.cross_validated.p90,
      fit.cross_validated.bias,
      seconds);
  std::printf("   ");
  for (const auto& [name, value] : fit.kernel) {
    std::printf(" %s=%lld", name.c_str(), static_cast<long long>(value));
  }
  for (std::size_t i = 0; i < fit.infos.size(); ++i) {
    const double error = std::sqrt(fit.covariance[i * (fit.parameters.size() + 1)]);
    const double value = std::exp(fit.parameters[i]);
    const FitRange& range = fit.infos[i].range;
    const bool bound = value < range.low * 1.0001 || value > range.high * 0.9999;
    std::printf(" %s=%.3g%s(%.0f%%)",
                std::string(fit.infos[i].name).c_str(),
                value,
                bound ? "!" : "",
                100 * error);
  }
  std::size_t at = fit.infos.size();
  for (std::size_t g = 1; g < fit.groups.size(); ++g) {
    for (const std::size_t field : fit.group_fields) {
      std::printf(" %s.%s=x%.3g",
                  fit.groups[g].c_str(),
                  std::string(fit.infos[field].name).c_str(),
                  std::exp(fit.parameters[at++]));
    }
  }
  std::printf("\n");
  if (!regimes) return;
  std::map<std::string, std::vector<double>> by;
  for (std::size_t i = 0; i < fit.regimes.size(); ++i) {
    by[fit.regimes[i]].push_back(fit.held_out_residuals[i]);
    by["framework " + series.rows[i]->framework].push_back(fit.held_out_residuals[i]);
  }
  for (const auto& [name, residuals] : by) {
    const ErrorSummary errors = SummariseResiduals(residuals);
    std::printf("      %-30s rows %5zu  cv %5.1f  median %5.1f  bias %+5.1f\n",
                name.c_str(),
                residuals.size(),
                errors.mape,
                errors.median,
                errors.bias);
  }
}

}  // namespace

int RunSeries(const std::vector<std::string>& words) {
  const Words parsed = Parse(words);
  const auto flag = [&](const char* name) {
    const auto found = parsed.flags.find(name);
    return found == parsed.flags.end() ? std::string() : found->second;
  };
  const Device device = LoadDevice(flag("--device"));
  MeasuredRows rows;
  for (const std::string& file : parsed.files) LoadRows(file, device, rows);
  std::vector<Series> all;
  for (Series& series : DealSeries(rows.rows, device)) {
    if (!flag("--family").empty() && series.plan->family != flag("--family")) continue;
    if (!flag("--format").empty() && series.format != flag("--format")) continue;
    all.push_back(std::move(series));
  }
  std::ofstream out;
  if (!flag("--rows").empty()) out.open(flag("--rows"));
  std::vector<double> total;
  std::map<std::string, std::vector<double>> by_format;
  for (const Series& series : all) {
    const auto begin = std::chrono::steady_clock::now();
    const SeriesFit fit = FitSeries(series, device);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    PrintFit(series, fit, took.count(), !flag("--regimes").empty());
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
      total.push_back(fit.held_out_residuals[i]);
      by_format[std::string(series.plan->family) + " " + series.format].push_back(
          fit.held_out_residuals[i]);
      if (out.is_open()) {
        std::string text = series.rows[i]->text;
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
        out << text << "," << std::exp(-fit.residuals[i]) * series.rows[i]->time << ","
            << std::exp(-fit.held_out_residuals[i]) * series.rows[i]->time << "\n";
      }
    }
  }
  by_format["all"] = total;
  for (const auto& [name, residuals] : by_format) {
    if (residuals.empty()) continue;
    const ErrorSummary errors = SummariseResiduals(residuals);
    std::printf("== %-36s rows %5zu  cv %5.2f  median %5.2f  p90 %5.1f  bias %+5.1f\n",
                name.c_str(),
                residuals.size(),
                errors.mape,
                errors.median,
                errors.p90,
                errors.bias);
  }
  for (const auto& [reason, count] : rows.skipped)
    std::printf("skipped %lld: %s\n", static_cast<long long>(count), reason.c_str());
  return 0;
}

}  // namespace roofcast::cli
