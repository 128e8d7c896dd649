// SPDX-License-Identifier: Apache-2.0
#include "calibration/calibrate.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "calibration/sibling.h"
#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"

namespace roofcast {
namespace {

std::string Counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::size_t DistinctKeys(const Series& series) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < series.rows.size(); ++i) keys.insert(series.KeyOf(i));
  return keys.size();
}

std::size_t Generations(const Series& series) {
  std::set<std::string_view> architectures;
  for (const MeasuredRow* row : series.rows) architectures.insert(row->device->architecture);
  return architectures.size();
}

std::string DevicesOf(const MeasuredRows& rows) {
  std::set<std::string> names;
  for (const MeasuredRow& row : rows.rows) names.insert(row.device->name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string WhySkipped(const std::map<std::string, std::int64_t>& skipped) {
  std::vector<std::pair<std::int64_t, std::string>> reasons;
  std::int64_t total = 0;
  for (const auto& [reason, count] : skipped) {
    reasons.emplace_back(count, reason);
    total += count;
  }
  std::sort(reasons.rbegin(), reasons.rend());
  constexpr std::size_t kMost = 3;
  std::string text = Counted(static_cast<std::size_t>(total), "row") + " skipped";
  for (std::size_t i = 0; i < std::min(kMost, reasons.size()); ++i) {
    text += (i == 0 ? " (" : ", ") + std::to_string(reasons[i].first) + ": " + reasons[i].second;
  }
  if (reasons.size() > kMost) text += ", ...";
  return text + (reasons.empty() ? "" : ")");
}

SeriesReport Report(const Series& series) {
  SeriesReport report;
  report.name = series.Name();
  report.family = series.plan->family;
  report.format = series.format;
  report.framework = series.framework;
  report.kernel = series.kernel;
  std::set<std::string> files;
  std::set<std::string> sources;
  for (const MeasuredRow* row : series.rows) {
    report.frameworks.push_back(row->framework);
    report.lines.push_back(row->file + ":" + std::to_string(row->line));
    report.measured.push_back(row->time);
    files.insert(row->file);
    if (!row->source.empty()) sources.insert(Printable(row->source));
  }
  for (std::size_t i = 0; i < series.rows.size(); ++i) report.keys.push_back(series.KeyOf(i));
  report.by_finer_key = series.by_finer_key;
  report.files.assign(files.begin(), files.end());
  report.sources.assign(sources.begin(), sources.end());
  report.data_hash = DataHash(series.rows);
  report.distinct_keys = static_cast<std::int64_t>(DistinctKeys(series));
  report.fit = FitSeries(series);
  return report;
}

// Fits series side by side, each on one thread; results keep the order of the series.
std::vector<SeriesReport> FitAll(const std::vector<Series>& all, const CalibrateOptions& options) {
  std::vector<std::optional<SeriesReport>> reports(all.size());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    while (true) {
      const std::size_t at = next++;
      if (at >= all.size()) return;
      {
        const std::scoped_lock lock(mutex);
        if (failure) return;
        if (options.progress) options.progress(done, all.size(), all[at].Name());
      }
      try {
        reports[at] = Report(all[at]);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = std::current_exception();
        return;
      }
      const std::scoped_lock lock(mutex);
      ++done;
    }
  };
  const unsigned wanted = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                              : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  const std::size_t most = std::min<std::size_t>(wanted, all.size());
  helpers.reserve(most);
  for (std::size_t i = 1; i < most; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  std::vector<SeriesReport> fitted;
  fitted.reserve(all.size());
  for (std::optional<SeriesReport>& report : reports) fitted.push_back(std::move(*report));
  return fitted;
}

bool IsWanted(const Series& series, const CalibrateOptions& options) {
  return options.families.empty() ||
         std::find(options.families.begin(), options.families.end(), series.plan->family) !=
             options.families.end();
}

}  // namespace

Calibration Calibrate(const MeasuredRows& rows,
                      const std::optional<Device>& device,
                      const CalibrateOptions& options) {
  for (const std::string& family : options.families) {
    PlanOf(family, device ? device->kind : DeviceKind::kGpu);  // throws for an unknown one
  }
  Calibration calibration;
  calibration.device = device;
  calibration.name = device ? device->name : "pooled";
  calibration.title = device ? device->title : "Pooled over " + DevicesOf(rows);
  calibration.assumed = LoadFit();
  calibration.skipped = rows.skipped;
  for (const MeasuredRow& row : rows.rows) {
    if (FindPlan(row.family, row.device->kind) == nullptr)
      ++calibration.skipped["no form for family " + row.family];
  }
  std::vector<Series> fitted;
  for (Series& series : DealSeries(rows.rows)) {
    series.by_generation = !device;
    const std::size_t keys = DistinctKeys(series);
    const bool alone = !device && Generations(series) < 2;
    if (!IsWanted(series, options)) {
      calibration.skipped["another family than asked for"] +=
          static_cast<std::int64_t>(series.rows.size());
    } else if (series.kin.size() < kLeastRows &&
               (series.rows.size() < kLeastRows || keys < kLeastKeys)) {
      calibration.skipped[series.Name() + ": only " + Counted(series.rows.size(), "row") + " of " +
                          Counted(keys, "shape") + "; a fit needs " + std::to_string(kLeastRows) +
                          " rows of " + std::to_string(kLeastKeys) + " shapes"] +=
          static_cast<std::int64_t>(series.rows.size());
    } else if (alone) {
      calibration.skipped[series.Name() + ": of one architecture alone; pooling needs two"] +=
          static_cast<std::int64_t>(series.rows.size());
    } else {
      fitted.push_back(std::move(series));
    }
  }
  if (fitted.empty()) {
    throw ArgumentError("nothing can be fitted: " + WhySkipped(calibration.skipped) +
                        "; check --device and the data");
  }
  calibration.series = FitAll(fitted, options);
  if (!device) calibration.siblings = JudgeSiblings(rows, options);
  return calibration;
}

Calibration Calibrate(const std::vector<std::string>& paths,
                      const std::optional<Device>& device,
                      const CalibrateOptions& options) {
  if (paths.empty()) throw ArgumentError("no data; name at least one CSV file");
  const auto shared = device ? std::make_shared<const Device>(*device) : nullptr;
  MeasuredRows rows;
  std::set<std::string> read;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(path, error);
    if (!read.insert(error ? path : file.string()).second) {
      throw ArgumentError(Printable(path) + ": given twice; name each file once");
    }
    LoadRows(path, shared, rows);
  }
  return Calibrate(rows, device, options);
}

std::string DataHash(const std::vector<const MeasuredRow*>& rows) {
  std::vector<std::string_view> texts;
  texts.reserve(rows.size());
  for (const MeasuredRow* row : rows) texts.push_back(row->text);
  std::sort(texts.begin(), texts.end());
  std::string text;
  for (const std::string_view one : texts) text += one;
  return Sha256(text);
}

}  // namespace roofcast
