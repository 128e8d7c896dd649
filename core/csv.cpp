// SPDX-License-Identifier: Apache-2.0
#include "core/csv.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"

namespace roofcast {
namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file, CsvLimits limits)
    : text_(text), file_(std::move(file)), limits_(limits) {
  if (text_.starts_with(kByteOrderMark)) {
    at_ = kByteOrderMark.size();
    line_start_ = at_;
  }
  if (!ReadRow()) {
    Refuse({file_, 0, 0}, "holds no header", "name the columns in the first line");
  }
  header_.assign(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(used_));
  for (std::size_t i = 0; i < header_.size(); ++i) {
    // Tools that write a row number leave its column without a name.
    if (header_[i].empty()) continue;
    if (!index_.emplace(header_[i], i).second) {
      Refuse(Where(i), "column " + Quoted(header_[i]) + " is given twice", "rename one of them");
    }
  }
}

std::optional<std::size_t> CsvReader::FindColumn(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::size_t CsvReader::Column(std::string_view name) const {
  if (const auto column = FindColumn(name)) return *column;
  const auto nearest = NearestName(name, header_);
  Refuse({file_, 1, 1},
         "no column " + Quoted(name),
         nearest ? "did you mean " + Quoted(*nearest) + "?" : "add it to the header");
}

bool CsvReader::Next() {
  if (!ReadRow()) return false;
  if (used_ != header_.size()) {
    const std::size_t odd = std::min(used_, header_.size());
    Refuse(odd < used_ ? Where(odd) : At({cells_line_, 1}),
           std::to_string(used_) + " cells where the header has " + std::to_string(header_.size()),
           "give every row as many cells; quote cells that hold a comma");
  }
  if (++row_ > limits_.rows) {
    Refuse(At({cells_line_, 1}),
           "more than " + std::to_string(limits_.rows) + " rows",
           "split the file");
  }
  return true;
}

std::optional<double> CsvReader::Number(std::size_t column) const {
  const std::string_view text = Trim(Cell(column));
  if (text.empty()) return std::nullopt;
  if (const auto value = ParseNumber(text)) return value;
  Refuse(Where(column),
         header_[column] + ": " + Quoted(text) + " is not a number",
         "leave the cell empty when the value is not known");
}

std::optional<std::int64_t> CsvReader::Integer(std::size_t column) const {
  const auto value = Number(column);
  if (!value) return std::nullopt;
  // Tables that went through a spreadsheet or a data frame write counts as 128.0.
  constexpr double kLargest = 9007199254740992.0;  // 2^53: every count below is exact
  if (const auto exact = ParseInteger(Trim(Cell(column)))) return exact;
  if (std::trunc(*value) == *value && std::fabs(*value) <= kLargest) {
    return static_cast<std::int64_t>(*value);
  }
  Refuse(Where(column),
         header_[column] + ": " + Quoted(Cell(column)) + " is not a whole number",
         "leave the cell empty when the value is not known");
}

bool CsvReader::AtLineEnd() const {
  return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
}

void CsvReader::EndLine() {
  if (at_ >= text_.size()) return;
  if (text_[at_] == '\r') {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  } else {
    ++at_;
  }
  ++line_;
  line_start_ = at_;
}

bool CsvReader::ReadRow() {
  while (at_ < text_.size() && AtLineEnd()) EndLine();
  if (at_ >= text_.size()) return false;
  row_start_ = at_;
  cells_line_ = line_;
  used_ = 0;
  places_.clear();
  while (true) {
    if (used_ >= limits_.columns) {
      Refuse(Here(),
             "more than " + std::to_string(limits_.columns) + " columns",
             "leave out what is not needed");
    }
    if (used_ == cells_.size()) cells_.emplace_back();
    places_.push_back({line_, at_ - line_start_ + 1});
    ReadCell(cells_[used_]);
    ++used_;
    if (AtLineEnd()) break;
    ++at_;  // the comma
  }
  EndLine();
  return true;
}

void CsvReader::ReadCell(std::string& cell) {
  cell.clear();
  if (at_ < text_.size() && text_[at_] == '"') {
    ReadQuoted(cell);
    return;
  }
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_of(",\"\r\n", at_), text_.size());
  if (at_ < text_.size() && text_[at_] == '"') {
    Refuse(Here(),
           "a quote inside a cell that doesn't start with one",
           "put the whole cell in quotes and double the quotes in it");
  }
  Append(cell, begin, at_);
}

void CsvReader::ReadQuoted(std::string& cell) {
  const Location opened = Here();
  ++at_;
  while (true) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of("\"\r\n", at_), text_.size());
    Append(cell, begin, at_);
    if (at_ >= text_.size()) Refuse(opened, "the quote is never closed", "close it");
    if (text_[at_] == '"') {
      ++at_;
      if (at_ < text_.size() && text_[at_] == '"') {
        Append(cell, at_, at_ + 1);
        ++at_;
        continue;
      }
      break;
    }
    const std::size_t end_of_line = at_;
    EndLine();
    Append(cell, end_of_line, at_);
  }
  if (!AtLineEnd() && text_[at_] != ',') {
    Refuse(Here(), "text after a closing quote", "double the quotes that belong to the cell");
  }
}

void CsvReader::Append(std::string& cell, std::size_t begin, std::size_t end) const {
  if (cell.size() + (end - begin) > limits_.field_bytes) {
    Refuse(At(places_.back()),
           "a cell larger than " + std::to_string(limits_.field_bytes) + " bytes",
           "is a quote missing?");
  }
  if (end - row_start_ > limits_.row_bytes) {
    Refuse(At(places_.back()),
           "a row larger than " + std::to_string(limits_.row_bytes) + " bytes",
           "is a quote missing?");
  }
  const std::string_view part = text_.substr(begin, end - begin);
  const std::size_t bad = std::min(FindBadUtf8(part), part.find('\0'));
  if (bad != std::string_view::npos) {
    const std::size_t column = begin + bad - line_start_ + 1;
    Refuse(At({line_, begin + bad >= line_start_ ? column : 1}),
           "not UTF-8 text",
           "save the file as UTF-8");
  }
  cell += part;
}

Location CsvReader::At(Place place) const {
  return {file_, static_cast<int>(place.line), static_cast<int>(place.column)};
}

Location CsvReader::Where(std::size_t column) const {
  return At(places_[column]);
}

void CsvReader::Refuse(const Location& where, std::string text, std::string cure) const {
  throw SpecError({{where, "", std::move(text), std::move(cure)}});
}

CsvWriter::CsvWriter(const std::vector<std::string>& header) : columns_(header.size()) {
  for (const std::string& name : header) Add(name);
  EndRow();
}

CsvWriter& CsvWriter::Add(std::string_view cell) {
  if (cells_ > 0) text_ += ',';
  ++cells_;
  // A lone empty cell would be an empty line, which readers skip.
  const bool lone = columns_ == 1 && cell.empty();
  const bool spaced = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ');
  // At the start of a file it would be taken for the file's own mark.
  const bool marked = cell.starts_with(kByteOrderMark);
  if (!lone && !spaced && !marked && cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    text_ += cell;
    return *this;
  }
  text_ += '"';
  for (const char c : cell) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
  return *this;
}

CsvWriter& CsvWriter::Add(std::int64_t value) {
  return Add(std::to_string(value));
}

CsvWriter& CsvWriter::Add(double value) {
  return Add(std::isnan(value) ? std::string() : FormatExact(value));
}

void CsvWriter::EndRow() {
  ROOFCAST_CHECK(cells_ == columns_);
  cells_ = 0;
  text_ += '\n';
}

}  // namespace roofcast
