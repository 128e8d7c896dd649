// SPDX-License-Identifier: Apache-2.0
#include "models/validation/training_table.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::array<std::string_view, 4> kNeeded = {"source", "model", "metric", "value"};
constexpr std::array<std::string_view, 3> kFigure = {"metric", "value", "unit"};
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
// Each row keeps its outcome: what bounds memory and time.
constexpr std::size_t kMostRows = 200'000;

// A misspelt column would be a column that is missing: facts taken for unknown.
void RefuseMisspeltColumns(const CsvReader& csv, const std::string& file) {
  const std::vector<std::string>& known = TrainingColumns();
  std::vector<std::string> absent;
  for (const std::string& name : known) {
    if (!csv.FindColumn(name)) absent.push_back(name);
  }
  for (const std::string& name : csv.header()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (const auto meant = NearestName(name, absent)) {
      throw ArgumentError(file + ":1: column " + Quoted(name) + ": is not known; did you mean '" +
                          *meant + "'? rename it, or call it something else");
    }
  }
}

}  // namespace

const std::vector<std::string>& TrainingColumns() {
  static const std::vector<std::string> columns = {
      "source",    "url",       "model", "params", "layers", "hidden",   "heads",
      "kv_heads",  "ffn",       "vocab", "seq",    "gpu",    "num_gpus", "tp",
      "pp",        "vpp",       "cp",    "dp",     "ep",     "mbs",      "gbs",
      "precision", "recompute", "zero",  "other",  "metric", "value",    "unit"};
  return columns;
}

bool IsTrainingTable(const CsvReader& csv) {
  const auto has = [&](std::string_view name) { return csv.FindColumn(name).has_value(); };
  const auto& columns = TrainingColumns();
  const auto found = std::count_if(columns.begin(), columns.end(), has);
  return std::all_of(kNeeded.begin(), kNeeded.end(), has) &&
         found * 2 > static_cast<std::ptrdiff_t>(columns.size());
}

TrainingTable::TrainingTable(std::string_view text, const std::string& file)
    : csv_(text, file, {.rows = kMostRows}) {
  for (const std::string_view name : kNeeded) csv_.Column(name);  // names the nearest
  for (const std::string& name : TrainingColumns()) {
    columns_.push_back(csv_.FindColumn(name).value_or(kAbsent));
  }
  RefuseMisspeltColumns(csv_, file);
}

bool TrainingTable::Next() {
  if (!csv_.Next()) return false;
  facts_ = {};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] != kAbsent) facts_.Add(TrainingColumns()[i], csv_.Cell(columns_[i]));
  }
  return true;
}

std::string TrainingTable::RunKey() const {
  std::string key;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& name = TrainingColumns()[i];
    if (std::find(kFigure.begin(), kFigure.end(), name) != kFigure.end()) continue;
    if (columns_[i] != kAbsent) key += csv_.Cell(columns_[i]);
    key += '\n';
  }
  return key;
}

}  // namespace roofcast
