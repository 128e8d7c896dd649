// SPDX-License-Identifier: Apache-2.0
#include "core/table.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "core/utf8.h"

namespace roofcast {
namespace {
constexpr std::size_t kGap = 2;
constexpr std::size_t kIndent = 2;
}  // namespace

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) column.title = Printable(column.title);
}

void Table::AddRow(std::vector<std::string> cells, int indent) {
  ROOFCAST_CHECK(!columns_.empty() && cells.size() <= columns_.size() && indent >= 0);
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  cells.front().insert(0, static_cast<std::size_t>(indent) * kIndent, ' ');
  rows_.push_back({std::move(cells)});
}

void Table::AddRule() {
  rows_.push_back({});
}

std::string Table::Text(int margin) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = DisplayWidth(columns_[i].title);
    for (const Row& row : rows_) {
      if (!row.cells.empty()) width = std::max(width, DisplayWidth(row.cells[i]));
    }
    widths.push_back(width);
  }
  std::size_t across = 0;
  for (const std::size_t width : widths) across += width + (across > 0 ? kGap : 0);

  std::string text;
  const auto end_line = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  const std::string start(static_cast<std::size_t>(std::max(margin, 0)), ' ');
  const auto add_cells = [&](const auto& cell_of) {
    std::string line = start;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string space(widths[i] - DisplayWidth(cell), ' ');
      if (i > 0) line.append(kGap, ' ');
      line += columns_[i].align == Align::kRight ? space + cell : cell + space;
    }
    end_line(std::move(line));
  };
  const auto add_rule = [&] { end_line(start + std::string(across, '-')); };

  const bool titled = std::any_of(columns_.begin(), columns_.end(), [](const TableColumn& column) {
    return !column.title.empty();
  });
  if (titled) {
    add_cells([&](std::size_t i) -> const std::string& { return columns_[i].title; });
    add_rule();
  }
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      add_rule();
    } else {
      add_cells([&](std::size_t i) -> const std::string& { return row.cells[i]; });
    }
  }
  return text;
}

}  // namespace roofcast
