// SPDX-License-Identifier: Apache-2.0
#include "calibration/clean_rows.h"

#include <map>
#include <utility>
#include <vector>

#include "calibration/cleaning.h"
#include "calibration/roofline_rows.h"

namespace roofcast {
namespace {

constexpr double kMicro = 1e-6;

CleaningRow ToCleaning(const MeasuredRow& row) {
  const DatasheetTerms terms = DatasheetTermsOf(row.op, *row.device);
  CleaningRow out;
  out.identity = row.identity;
  out.line = row.line;
  out.time = Seconds(row.time * kMicro);
  out.compute = Seconds(terms.compute * kMicro);
  out.traffic = Seconds(terms.memory * kMicro);
  const auto& cache = row.device->last_level_cache;
  out.cached = cache && out.traffic * row.device->memory.bandwidth < 2.0 * cache->capacity;
  return out;
}

}  // namespace

void CleanRows(const std::string& file, std::size_t first, MeasuredRows& rows) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = first; i < rows.rows.size(); ++i) families[rows.rows[i].family].push_back(i);
  std::vector<bool> keeps(rows.rows.size(), true);
  for (const auto& [family, members] : families) {
    std::vector<CleaningRow> table;
    table.reserve(members.size());
    for (const std::size_t i : members) table.push_back(ToCleaning(rows.rows[i]));
    const Cleaned cleaned = Clean(table, file);
    for (const std::size_t i : members) keeps[i] = false;
    for (const KeptRow& kept : cleaned.kept) {
      MeasuredRow& row = rows.rows[members[kept.index]];
      keeps[members[kept.index]] = true;
      if (kept.repeats > 1) row.time = kept.time.value() / kMicro;
    }
    for (const DroppedRows& dropped : cleaned.dropped) {
      std::string reason = file + ": " + Format(dropped);
      rows.skipped[std::move(reason)] += dropped.count;
    }
    if (cleaned.merged > 0) {
      rows.skipped["repeats of another row, merged into its median"] += cleaned.merged;
    }
  }
  std::size_t to = first;
  for (std::size_t i = first; i < rows.rows.size(); ++i) {
    if (!keeps[i]) continue;
    if (to != i) rows.rows[to] = std::move(rows.rows[i]);
    ++to;
  }
  rows.rows.resize(to);
}

}  // namespace roofcast
