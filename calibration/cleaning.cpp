// SPDX-License-Identifier: Apache-2.0
#include "calibration/cleaning.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/scalar.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast {
namespace {

// A table says something about its unit, and what most of its rows are like, from so many on.
constexpr std::size_t kLeastForMedian = 5;
constexpr std::size_t kLeastForMost = 20;

// Of sorted values; the mean of the two in the middle.
double MedianOf(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Rows left out, by reason.
class DropLog {
 public:
  void Add(const std::string& reason, std::int64_t line) { lines_[reason].push_back(line); }

  std::vector<DroppedRows> MostFirst() {
    std::vector<DroppedRows> all;
    all.reserve(lines_.size());
    for (auto& [reason, lines] : lines_) {
      const auto count = static_cast<std::int64_t>(lines.size());
      std::sort(lines.begin(), lines.end());
      if (lines.size() > kShownLines) lines.resize(kShownLines);
      all.push_back({reason, count, lines});
    }
    std::stable_sort(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    return all;
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> lines_;
};

bool HasBound(const CleaningRow& row) {
  return row.compute.value() > 0 || row.traffic.value() > 0;
}

double SlownessOf(const CleaningRow& row, const CleaningLimits& limits) {
  return row.time / (Max(row.compute, row.traffic) + limits.overhead);
}

std::vector<double> SortedSlowness(const std::vector<CleaningRow>& rows,
                                   const CleaningLimits& limits) {
  std::vector<double> sorted;
  sorted.reserve(rows.size());
  for (const CleaningRow& row : rows) {
    if (HasBound(row) && row.time.value() > 0) sorted.push_back(SlownessOf(row, limits));
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void CheckUnit(const std::vector<double>& slowness,
               const std::string& file,
               const CleaningLimits& limits) {
  if (slowness.size() < kLeastForMedian) return;
  const double median = MedianOf(slowness);
  const bool is_fast = median * limits.table_faster < 1;
  if (!is_fast && median < limits.table_slower) return;
  std::ostringstream rounded;
  rounded.precision(2);
  rounded << median;
  throw SpecError(
      {{{file, 0, 0},
        "latency_us",
        std::string("looks like ") + (is_fast ? "milliseconds" : "nanoseconds") +
            ": the median row takes " + rounded.str() + " times what the datasheet " + "asks for",
        "write microseconds, and check that the rows are of this device"}});
}

// The slowness above which a row's unit is wrong.
double SlowestOf(const std::vector<double>& slowness, const CleaningLimits& limits) {
  if (slowness.size() < kLeastForMost) return limits.slower;
  const double most = slowness[slowness.size() * 9 / 10];
  return std::min(limits.slower, most * limits.slower_than_most);
}

std::optional<std::string> WhyImpossible(const CleaningRow& row,
                                         const CleaningLimits& limits,
                                         double slowest) {
  if (!(row.time.value() > 0) || !std::isfinite(row.time.value()))
    return "time is no positive number";
  if (row.time < limits.shortest) {
    return "less than " + FormatQuantity(Seconds::kDim, limits.shortest.value());
  }
  if (!HasBound(row)) return std::nullopt;
  if (row.time * limits.faster < row.compute) {
    return "more than " + FormatExact(limits.faster) + " times as fast as the device's peak";
  }
  const double faster = row.cached ? limits.faster_cached : limits.faster;
  if (row.time * faster < row.traffic) {
    return "more than " + FormatExact(faster) + " times as fast as the bandwidth" +
           (row.cached ? " with caches" : "");
  }
  const double slowness = SlownessOf(row, limits);
  if (slowness > limits.slower) {
    return "more than " + FormatExact(limits.slower) + " times as slow as the datasheet";
  }
  if (slowness > slowest) {
    return "more than " + FormatExact(limits.slower_than_most) +
           " times as slow, beside the datasheet, as nine rows of ten";
  }
  return std::nullopt;
}

// Repeats of one measurement: what is kept of them, if anything, and why the others are not.
class Repeats {
 public:
  void Add(std::size_t index) { indices_.push_back(index); }

  void Settle(const std::vector<CleaningRow>& rows,
              const CleaningLimits& limits,
              Cleaned& cleaned,
              DropLog& log) {
    std::stable_sort(indices_.begin(), indices_.end(), [&](std::size_t a, std::size_t b) {
      return rows[a].time < rows[b].time;
    });
    // An actual row, so that the mean of two that contradict each other agrees with neither.
    const Seconds middle = rows[indices_[(indices_.size() - 1) / 2]].time;
    const auto agrees = [&](std::size_t i) {
      const Seconds time = rows[i].time;
      return time <= middle * limits.conflict && middle <= time * limits.conflict;
    };
    const auto split = std::stable_partition(indices_.begin(), indices_.end(), agrees);
    const bool is_settled = (split - indices_.begin()) * 2 > std::ssize(indices_);
    const auto rest = is_settled ? split : indices_.begin();
    const std::string reason =
        "repeats differ by more than " + FormatExact(limits.conflict) + " times";
    for (auto i = rest; i != indices_.end(); ++i) log.Add(reason, rows[*i].line);
    indices_.erase(rest, indices_.end());
    if (is_settled) Merge(rows, indices_, cleaned, log);
  }

 private:
  static void Merge(const std::vector<CleaningRow>& rows,
                    const std::vector<std::size_t>& agreeing,
                    Cleaned& cleaned,
                    DropLog& log) {
    KeptRow kept{*std::min_element(agreeing.begin(), agreeing.end()), Seconds(0), 0};
    std::vector<double> values;
    values.reserve(agreeing.size());
    for (const std::size_t i : agreeing) {
      const double value = rows[i].time.value();
      if (!values.empty() && values.back() == value) {
        log.Add("repeats another row to the digit", rows[i].line);
      } else {
        values.push_back(value);
      }
    }
    kept.repeats = static_cast<std::int64_t>(values.size());
    kept.time = Seconds(MedianOf(values));
    cleaned.merged += kept.repeats - 1;
    cleaned.kept.push_back(kept);
  }

  std::vector<std::size_t> indices_;
};

}  // namespace

Cleaned Clean(const std::vector<CleaningRow>& rows,
              const std::string& file,
              const CleaningLimits& limits) {
  const std::vector<double> slowness = SortedSlowness(rows, limits);
  CheckUnit(slowness, file, limits);
  const double slowest = SlowestOf(slowness, limits);
  Cleaned cleaned;
  DropLog log;
  std::unordered_map<std::string, Repeats> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto reason = WhyImpossible(rows[i], limits, slowest)) {
      log.Add(*reason, rows[i].line);
    } else {
      groups[rows[i].identity].Add(i);
    }
  }
  for (auto& [identity, repeats] : groups) repeats.Settle(rows, limits, cleaned, log);
  std::sort(cleaned.kept.begin(), cleaned.kept.end(), [](const auto& a, const auto& b) {
    return a.index < b.index;
  });
  cleaned.dropped = log.MostFirst();
  for (DroppedRows& dropped : cleaned.dropped) {
    std::sort(dropped.lines.begin(), dropped.lines.end());
  }
  return cleaned;
}

std::string Format(const DroppedRows& dropped) {
  std::string text = std::to_string(dropped.count) + (dropped.count == 1 ? " row: " : " rows: ") +
                     dropped.reason + (dropped.lines.size() == 1 ? " (line " : " (lines ");
  for (std::size_t i = 0; i < dropped.lines.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dropped.lines[i]);
  }
  const bool more = dropped.count > static_cast<std::int64_t>(dropped.lines.size());
  return text + (more ? ", ...)" : ")");
}

}  // namespace roofcast
