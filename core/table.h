// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofcast {

enum class Align : std::uint8_t { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
};

// A table for the terminal: a header, a rule below it, columns two spaces apart and as wide as
// their widest cell. Lines end without spaces and are never wrapped. Control characters in cells
// become visible escapes. Without any title there is neither header nor rule.
//
//   name          time  share
//   layer      12.4 ms   80 %
//     gemm     10.1 ms   65 %
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  // Missing cells at the end are empty. `indent` moves the first cell right by two spaces a level,
  // to draw a tree.
  void AddRow(std::vector<std::string> cells, int indent = 0);
  void AddRule();  // a line across the table, as above a total

  std::size_t rows() const { return rows_.size(); }
  // All lines, each with its end. `margin` spaces stand before every line.
  std::string Text(int margin = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // none: a rule
  };

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

}  // namespace roofcast
