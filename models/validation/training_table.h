// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/csv.h"
#include "models/validation/facts.h"

namespace roofcast {

// Columns of a table of published training runs, one figure a row. Sizes are counts, `seq` is in
// tokens; `value` has its `unit` beside it and `metric` says what it is. An empty cell is unknown.
const std::vector<std::string>& TrainingColumns();

// Whether a header is that of such a table: it has what every row needs and most of the rest.
bool IsTrainingTable(const CsvReader& csv);

// Reads the rows one by one.
//   TrainingTable table(text, "measured.csv");
//   while (table.Next()) Use(table.facts());
class TrainingTable {
 public:
  // Throws SpecError when a column that every row needs is missing.
  TrainingTable(std::string_view text, const std::string& file);

  bool Next();
  const Facts& facts() const { return facts_; }
  std::int64_t row() const { return static_cast<std::int64_t>(csv_.row()); }  // 1 below the header
  // What tells one run from another: all cells but the figure's own.
  std::string RunKey() const;

 private:
  CsvReader csv_;
  std::vector<std::size_t> columns_;  // of the file, in the order of TrainingColumns; or npos
  Facts facts_;
};

}  // namespace roofcast
