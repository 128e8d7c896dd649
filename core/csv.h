// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"

namespace roofcast {

// Bounds of a table, so that no file can hang a reader or exhaust its memory.
struct CsvLimits {
  std::size_t columns = 4096;
  std::size_t rows = 20'000'000;
  std::size_t row_bytes = 1U << 20U;
  std::size_t field_bytes = 64U << 10U;
};

// Reads comma-separated text (RFC 4180) row by row: a header, then rows with as many cells.
// Quoted cells may hold commas, line ends and doubled quotes. LF, CRLF and CR end a line, the last
// line may lack its end, a byte-order mark is skipped and so are empty lines. Anything else that
// is wrong throws SpecError at file:line:column.
//
//   CsvReader rows(text, "measured.csv");
//   const std::size_t time = rows.Column("time_s");
//   while (rows.Next()) Use(rows.Cell(time));
class CsvReader {
 public:
  // Reads the header. `text` must outlive the reader; `file` is what messages call it.
  CsvReader(std::string_view text, std::string file, CsvLimits limits = {});

  const std::vector<std::string>& header() const { return header_; }
  // Index of a column by its exact name; Column throws SpecError and names the nearest.
  std::optional<std::size_t> FindColumn(std::string_view name) const;
  std::size_t Column(std::string_view name) const;

  // Moves to the next row; false at the end.
  bool Next();
  // The cell of the current row, without its quotes.
  const std::string& Cell(std::size_t column) const { return cells_[column]; }
  Location Where(std::size_t column) const;
  std::size_t row() const { return row_; }  // 1 for the first row below the header
  std::size_t line() const { return cells_line_; }

  // Numbers of a cell. An empty cell is nullopt: a missing value is unknown, not a default.
  // Anything else that is no number throws SpecError.
  std::optional<double> Number(std::size_t column) const;
  std::optional<std::int64_t> Integer(std::size_t column) const;

 private:
  struct Place {
    std::size_t line;
    std::size_t column;
  };

  bool ReadRow();  // into cells_ and places_; false at the end
  void ReadCell(std::string& cell);
  void ReadQuoted(std::string& cell);
  void Append(std::string& cell, std::size_t begin, std::size_t end) const;
  void EndLine();
  bool AtLineEnd() const;
  Location Here() const { return At({line_, at_ - line_start_ + 1}); }
  Location At(Place place) const;
  [[noreturn]] void Refuse(const Location& where, std::string text, std::string cure) const;

  std::string_view text_;
  std::string file_;
  CsvLimits limits_;
  std::vector<std::string> header_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> cells_;
  std::vector<Place> places_;
  std::size_t used_ = 0;  // cells of the current row; cells_ keeps its strings for the next one
  std::size_t cells_line_ = 1;
  std::size_t row_ = 0;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t row_start_ = 0;
};

// Writes what CsvReader reads: quotes only where needed, numbers in the shortest form that reads
// back as the same value, LF at each line's end as other command-line tools expect it.
class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header);

  CsvWriter& Add(std::string_view cell);
  CsvWriter& Add(const char* cell) { return Add(std::string_view(cell)); }
  CsvWriter& Add(std::int64_t value);
  CsvWriter& Add(double value);  // not a number: an empty cell, which is how "unknown" reads
  // Ends the row, which must have as many cells as the header.
  void EndRow();

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t columns_ = 0;
  std::size_t cells_ = 0;
};

}  // namespace roofcast
