// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "core/table.h"
#include "core/units.h"
#include "models/steps/report.h"
#include "models/steps/report_text.h"

namespace roofcast {
namespace {

constexpr double kSmall = 0.01;  // share of the whole below which lines are gathered

// A breakdown of time or bytes: children in their order, small ones gathered below `gathered`.
template <class Size, class Cells>
void AddTree(Table& table,
             const Node& node,
             int depth,
             double whole,
             Size size,
             Cells cells,
             int gathered = 0) {
  table.AddRow(cells(node), depth);
  Node others;
  std::int64_t count = 0;
  const Node* only = nullptr;
  const auto is_small = [&](const Node& child) {
    return depth >= gathered && size(child) < kSmall * whole;
  };
  for (const Node& child : node.children) {
    if (!is_small(child)) continue;
    ++count;
    only = &child;
    others.time += child.time;
    others.hidden += child.hidden;
    others.bytes += child.bytes;
  }
  if (count == static_cast<std::int64_t>(node.children.size()) && depth > 0) return;
  for (const Node& child : node.children) {
    if (!is_small(child) || (count == 1 && &child == only && size(child) > 0)) {
      AddTree(table, child, depth + 1, whole, size, cells, gathered);
    }
  }
  if (count > 1 && size(others) > 0) {
    others.name = "... " + FormatCounted(count, "other");
    others.count = 0;
    table.AddRow(cells(others), depth + 1);
  }
}

bool HidesAnything(const Node& node) {
  return node.hidden > Seconds(0) ||
         std::any_of(node.children.begin(), node.children.end(), HidesAnything);
}

// The fit's expected error; of one that has none, that it is assumed.
std::string FormatError(const Node& node) {
  if (!(node.expected_error > 0)) return "assumed";
  return FormatPercent(node.expected_error / 100);
}

}  // namespace

std::string FormatBreakdown(const StepTime& step) {
  const bool hides = HidesAnything(step.breakdown);
  const double whole = step.breakdown.time.value();
  std::vector<TableColumn> columns = {{"breakdown", Align::kLeft},
                                      {"time", Align::kRight},
                                      {"share", Align::kRight},
                                      {"bound", Align::kLeft},
                                      {"count", Align::kRight}};
  const bool is_sure = step.interval.has_value();
  if (is_sure) {
    columns.push_back({"mode", Align::kLeft});
    columns.push_back({"error", Align::kRight});
  }
  if (hides) columns.push_back({"hidden", Align::kRight});
  Table table(std::move(columns));
  AddTree(
      table,
      step.breakdown,
      0,
      whole,
      [](const Node& node) { return std::max(node.time, node.hidden).value(); },
      [&](const Node& node) {
        const bool one = node.count > 0;  // not a line of gathered ones
        std::vector<std::string> cells = {
            node.name,
            FormatStepTime(node.time),
            whole > 0 ? FormatPercent(node.time.value() / whole) : "",
            one ? std::string(NameOf(node.bound)) : "",
            one ? FormatThousands(static_cast<double>(node.count)) : ""};
        if (is_sure) {
          const bool leaf = one && !node.family.empty();
          cells.emplace_back(leaf ? NameOf(node.mode) : "");
          cells.push_back(leaf ? FormatError(node) : "");
        }
        if (hides) cells.push_back(node.hidden > Seconds(0) ? FormatStepTime(node.hidden) : "");
        return cells;
      });
  return table.Text();
}

std::string FormatMemory(const MemoryReport& memory) {
  Table table({{"memory of the fullest device", Align::kLeft},
               {"size", Align::kRight},
               {"of capacity", Align::kRight}});
  const double capacity = memory.capacity.value();
  const auto cells = [&](const Node& node) {
    return std::vector<std::string>{
        node.name,
        FormatGib(node.bytes),
        capacity > 0 ? FormatPercent(node.bytes.value() / capacity) : ""};
  };
  AddTree(
      table,
      memory.bytes,
      0,
      memory.bytes.bytes.value(),
      [](const Node& node) { return node.bytes.value(); },
      cells,
      memory.kv.engine.empty() ? 0 : 1);  // every line of an engine's budget is shown
  return table.Text();
}

}  // namespace roofcast
