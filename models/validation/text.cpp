// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "core/table.h"
#include "core/text.h"
#include "models/validation/validate.h"

namespace roofcast {
namespace {

// The longest name of a group that a table shows whole.
constexpr std::size_t kLongestName = 60;

std::string Percent(double value, bool with_sign = false) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), with_sign ? "%+.2f" : "%.2f", value);
  return text.data();
}

std::string Shortened(const std::string& name) {
  // Printable escapes what a cut in the middle of a character would leave.
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "...";
}

std::int64_t ExcludedOf(const RowGroup& group) {
  std::int64_t excluded = 0;
  for (const auto& test : group.excluded) excluded += test.second;
  return excluded;
}

std::vector<std::string> CountCells(const RowGroup& group) {
  return {Shortened(group.name),
          std::to_string(group.rows),
          std::to_string(group.refused) + (group.Incomplete() ? " *" : ""),
          std::to_string(ExcludedOf(group))};
}

std::vector<TableColumn> CountColumns(std::string title) {
  return {{std::move(title), Align::kLeft},
          {"rows", Align::kRight},
          {"refused", Align::kRight},
          {"excluded", Align::kRight}};
}

void AddErrorCells(const std::optional<ErrorFigures>& errors, std::vector<std::string>& cells) {
  if (!errors) {
    cells.insert(cells.end(), 6, "-");
    return;
  }
  const ErrorSummary& summary = errors->predicted;
  cells.push_back(Percent(summary.mape));
  cells.push_back(Percent(summary.median));
  cells.push_back(Percent(summary.p90));
  cells.push_back(Percent(summary.worst));
  cells.push_back(Percent(summary.bias, true));
  cells.push_back(errors->cross_validated ? Percent(errors->cross_validated->median) + " / " +
                                                Percent(errors->cross_validated->mape)
                                          : "-");
}

std::string ErrorTable(const std::string& title, const std::vector<const RowGroup*>& groups) {
  std::vector<TableColumn> columns = CountColumns(title);
  for (const char* name : {"MAPE", "median", "p90", "worst", "bias", "cv median / MAPE"}) {
    columns.push_back({name, Align::kRight});
  }
  Table table(std::move(columns));
  for (const RowGroup* group : groups) {
    std::vector<std::string> cells = CountCells(*group);
    AddErrorCells(group->errors, cells);
    table.AddRow(std::move(cells));
  }
  return table.Text();
}

std::string FitsTable(const std::string& title, const std::vector<const RowGroup*>& groups) {
  std::vector<TableColumn> columns = CountColumns(title);
  for (const char* name :
       {"right", "fits as OOM", "OOM as fits", "cv right", "states alone", "majority"}) {
    columns.push_back({name, Align::kRight});
  }
  Table table(std::move(columns));
  for (const RowGroup* group : groups) {
    std::vector<std::string> cells = CountCells(*group);
    if (const auto& fits = group->fits) {
      cells.push_back(Percent(fits->predicted.Right()));
      cells.push_back(std::to_string(fits->predicted.fits_as_oom));
      cells.push_back(std::to_string(fits->predicted.oom_as_fits));
      cells.push_back(fits->cross_validated ? Percent(fits->cross_validated->Right()) : "-");
      cells.push_back(Percent(fits->by_states_alone.Right()));
      cells.push_back(Percent(fits->majority));
    } else {
      cells.insert(cells.end(), 6, "-");
    }
    table.AddRow(std::move(cells));
  }
  return table.Text();
}

// One table a metric and key, in the order of the groups; errors of all metrics of the totals in
// one.
std::string Tables(const std::vector<RowGroup>& groups, bool totals) {
  std::vector<std::pair<std::string, std::vector<const RowGroup*>>> tables;
  for (const RowGroup& group : groups) {
    const std::string metric(NameOf(group.metric));
    const std::string title = group.by.empty() ? "error, %"
                              : group.metric == Metric::kFits
                                  ? "fits by " + group.by.begin()->first
                                  : metric + " by " + group.by.begin()->first;
    const bool same =
        !tables.empty() && tables.back().first == title &&
        (tables.back().second.back()->metric == Metric::kFits) == (group.metric == Metric::kFits);
    if (!same) tables.push_back({title, {}});
    tables.back().second.push_back(&group);
  }
  std::string text;
  for (const auto& [title, members] : tables) {
    const bool fits = members.front()->metric == Metric::kFits;
    text += (text.empty() && totals ? "" : "\n");
    text += fits ? FitsTable(totals ? "right, %" : title, members) : ErrorTable(title, members);
  }
  return text;
}

std::string RefusedTable(const Validation& validation) {
  std::map<std::pair<std::string, std::string>, std::int64_t> reasons;
  for (const RowOutcome& row : validation.rows) {
    if (row.status != RowStatus::kRefused) continue;
    const std::string metric(row.figure == nullptr ? "-" : NameOf(row.figure->metric));
    ++reasons[{metric, row.reason}];
  }
  if (reasons.empty()) return "";
  Table table(
      {{"rows", Align::kRight}, {"metric", Align::kLeft}, {"refused because", Align::kLeft}});
  constexpr std::size_t kMost = 40;
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > kMost) {
      table.AddRow({"...", "", "--json names all"});
      break;
    }
    table.AddRow({std::to_string(count), reason.first, reason.second});
  }
  return "\n" + table.Text();
}

std::string Notes(const Validation& validation) {
  std::string text;
  std::map<std::string, std::int64_t> tests;
  bool incomplete = false;
  for (const RowGroup& group : validation.totals) {
    incomplete = incomplete || group.Incomplete();
    for (const auto& [test, count] : group.excluded) tests[test] += count;
  }
  for (const auto& [test, count] : tests) {
    text += "excluded: " + std::to_string(count) + " rows by the test '" + Printable(test) + "'\n";
  }
  if (incomplete) text += "* more than 5 % refused: the figures stand for the other rows alone\n";
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string FormatValidation(const Validation& validation, bool quiet) {
  std::string text;
  if (!quiet) {
    text = Printable(validation.file) + ": a table of " + validation.kind + " runs\n\n";
  }
  text += Tables(validation.totals, true);
  if (quiet) return text;
  return text + Notes(validation) + Tables(validation.groups, false) + RefusedTable(validation);
}

}  // namespace roofcast
