// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/breakdown.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast::python {
namespace {

using Column = std::string TreeRow::*;
struct Heading {
  const char* text;
  Column column;
  Align align;
};
constexpr std::array kTimeHeadings = {
    Heading{"part", &TreeRow::name, Align::kLeft},
    Heading{"time", &TreeRow::amount, Align::kRight},
    Heading{"share", &TreeRow::share, Align::kRight},
    Heading{"hidden", &TreeRow::hidden, Align::kRight},
    Heading{"bound", &TreeRow::bound, Align::kLeft},
    Heading{"count", &TreeRow::count, Align::kRight},
};
constexpr std::array kByteHeadings = {
    Heading{"part", &TreeRow::name, Align::kLeft},
    Heading{"bytes", &TreeRow::amount, Align::kRight},
    Heading{"share", &TreeRow::share, Align::kRight},
};

std::vector<Heading> HeadingsOf(const TreeNode& tree) {
  if (tree.OfBytes()) return {kByteHeadings.begin(), kByteHeadings.end()};
  return {kTimeHeadings.begin(), kTimeHeadings.end()};
}

std::string Percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

void AddRows(const TreeNode& tree, int depth, std::vector<TreeRow>& rows) {
  TreeRow row;
  row.depth = depth;
  row.name = tree->name;
  row.amount = tree.OfBytes() ? FormatGib(tree->bytes) : Format(tree->time);
  row.share = Percent(tree.Share());
  if (tree->hidden > Seconds(0)) row.hidden = Format(tree->hidden);
  row.bound = NameOf(tree->bound);
  if (tree->kind != NodeKind::kGroup || tree->count > 1) row.count = std::to_string(tree->count);
  rows.push_back(std::move(row));
  for (const TreeNode& child : tree.Children()) AddRows(child, depth + 1, rows);
}

}  // namespace

double TreeNode::Share() const {
  const double part = OfBytes() ? node_->bytes.value() : node_->time.value();
  const double whole = OfBytes() ? root_->bytes.value() : root_->time.value();
  return whole > 0 ? part / whole : 0.0;
}

std::vector<TreeNode> TreeNode::Children() const {
  std::vector<TreeNode> children;
  for (const Node& child : node_->children) children.push_back(TreeNode(root_, &child));
  return children;
}

std::vector<TreeNode> TreeNode::Walk() const {
  std::vector<TreeNode> nodes = {*this};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<TreeNode> children = nodes[i].Children();
    nodes.insert(
        nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, children.begin(), children.end());
  }
  return nodes;
}

TreeNode TreeNode::Child(const std::string& name) const {
  if (const Node* child = FindChild(*node_, name)) return TreeNode(root_, child);
  std::vector<std::string> names;
  for (const Node& child : node_->children) names.push_back(child.name);
  throw NotFoundError(node_->name + ": has no part '" + Printable(name) + "'" +
                      (names.empty() ? "; it is a leaf" : "; it has " + JoinWithOr(names)));
}

bool SameTree(const Node& a, const Node& b) {
  return a.name == b.name && a.kind == b.kind && a.time == b.time && a.hidden == b.hidden &&
         a.bytes == b.bytes && a.bound == b.bound && a.count == b.count &&
         std::equal(
             a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), SameTree);
}

std::vector<TreeRow> RowsOf(const TreeNode& tree) {
  std::vector<TreeRow> rows;
  AddRows(tree, 0, rows);
  return rows;
}

std::string TreeText(const TreeNode& tree) {
  const std::vector<Heading> headings = HeadingsOf(tree);
  std::vector<TableColumn> columns;
  columns.reserve(headings.size());
  for (const Heading& heading : headings) columns.push_back({heading.text, heading.align});
  Table table(std::move(columns));
  for (const TreeRow& row : RowsOf(tree)) {
    std::vector<std::string> cells;
    cells.reserve(headings.size());
    for (const Heading& heading : headings) cells.push_back(row.*heading.column);
    table.AddRow(std::move(cells), row.depth);
  }
  return WithoutEnd(table.Text());
}

std::string TreeHtml(const TreeNode& tree) {
  const std::vector<Heading> headings = HeadingsOf(tree);
  std::string html = "<table><thead><tr>";
  for (const Heading& heading : headings) html += std::string("<th>") + heading.text + "</th>";
  html += "</tr></thead><tbody>";
  for (const TreeRow& row : RowsOf(tree)) {
    html += "<tr>";
    for (const Heading& heading : headings) {
      const bool name = heading.column == &TreeRow::name;
      html += heading.align == Align::kLeft ? "<td style=\"text-align:left"
                                            : "<td style=\"text-align:right";
      if (name) html += ";padding-left:" + std::to_string(1 + 2 * row.depth) + "em";
      html += "\">" + EscapeHtml(Printable(row.*heading.column)) + "</td>";
    }
    html += "</tr>";
  }
  return html + "</tbody></table>";
}

std::string WithoutEnd(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string EscapeHtml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace roofcast::python
