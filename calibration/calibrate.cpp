// SPDX-License-Identifier: Apache-2.0
#include "calibration/calibrate.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "calibration/cross_validation.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

using Samples = std::vector<const Sample*>;

void Widen(Ranges& ranges, const std::string& name, std::int64_t value) {
  const auto found = std::find_if(
      ranges.begin(), ranges.end(), [&](const auto& range) { return range.first == name; });
  if (found == ranges.end()) {
    ranges.push_back({name, {value, value}});
  } else {
    found->second = {std::min(found->second.first, value), std::max(found->second.second, value)};
  }
}

Ranges RangesOf(const Samples& samples) {
  Ranges ranges;
  for (const Sample* sample : samples) {
    if (const auto* gemm = std::get_if<Gemm>(&sample->op)) {
      Widen(ranges, "m", gemm->m);
      Widen(ranges, "n", gemm->n);
      Widen(ranges, "k", gemm->k);
    } else if (const auto* attention = std::get_if<Attention>(&sample->op)) {
      Widen(ranges, "batch", attention->batch);
      Widen(ranges, "queries", attention->queries);
      Widen(ranges, "keys", attention->keys);
      Widen(ranges, "heads", attention->heads);
      Widen(ranges, "kv_heads", attention->kv_heads);
      Widen(ranges, "head_dim", attention->head_dim);
      Widen(ranges, "window", attention->window);
    }
  }
  return ranges;
}

std::string Counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

FamilyReport Report(Family family,
                    const Samples& samples,
                    const Device& device,
                    Coefficients<double> assumed) {
  std::set<std::string> keys;
  std::set<std::string> files;
  std::set<std::string> sources;
  std::vector<Seconds> measured;
  for (const Sample* sample : samples) {
    keys.insert(sample->key);
    files.insert(sample->file);
    if (!sample->source.empty()) sources.insert(sample->source);
    measured.push_back(sample->time);
  }
  if (samples.size() < kLeastRows || keys.size() < kLeastKeys) {
    throw ArgumentError(
        std::string(NameOf(family)) + ": only " + Counted(samples.size(), "usable row") + " of " +
        Counted(keys.size(), "shape") + "; a fit needs at least " + std::to_string(kLeastRows) +
        " rows of " + std::to_string(kLeastKeys) + " shapes, so add data");
  }
  const KernelCoefficients<double> before = MemberOf(assumed, family);
  FamilyReport report;
  report.fit = FitFamily(family, samples, device, before);
  report.rows = static_cast<std::int64_t>(samples.size());
  report.keys = static_cast<std::int64_t>(keys.size());
  report.files.assign(files.begin(), files.end());
  report.sources.assign(sources.begin(), sources.end());
  report.data_hash = DataHash(samples);
  report.ranges = RangesOf(samples);
  report.datasheet = Summarise(PredictFromDatasheet(samples, device), measured);
  report.assumed = Summarise(PredictAll(samples, device, assumed), measured);
  report.cross_validated = Summarise(PredictHeldOut(family, samples, device, before), measured);
  MemberOf(assumed, family) = report.fit.coefficients;
  report.in_sample = Summarise(PredictAll(samples, device, assumed), measured);
  return report;
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

}  // namespace

Calibration Calibrate(Dataset dataset, const Device& device) {
  Calibration calibration;
  calibration.device = device;
  calibration.assumed = LoadFit();
  calibration.skipped = std::move(dataset.skipped);
  if (dataset.samples.empty()) {
    throw ArgumentError("no row can be used: " + WhySkipped(calibration.skipped) +
                        "; check --device and the data");
  }
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    Samples samples;
    for (const Sample& sample : dataset.samples) {
      if (sample.family == family) samples.push_back(&sample);
    }
    if (samples.empty()) continue;
    calibration.families.push_back(
        Report(family, samples, device, calibration.assumed.coefficients));
  }
  return calibration;
}

Calibration Calibrate(const std::vector<std::string>& paths, const Device& device) {
  if (paths.empty()) throw ArgumentError("no data; name at least one CSV file");
  Dataset dataset;
  std::set<std::string> read;
  for (const std::string& path : paths) {
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(path, error);
    if (!read.insert(error ? path : file.string()).second) {
      throw ArgumentError(Printable(path) + ": given twice; name each file once");
    }
    LoadOperators(path, device, dataset);
  }
  return Calibrate(std::move(dataset), device);
}

}  // namespace roofcast
