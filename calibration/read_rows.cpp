// SPDX-License-Identifier: Apache-2.0
#include "calibration/read_rows.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "calibration/tables/table.h"
#include "core/catalog.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

const TableKind* KindOf(const CsvReader& csv) {
  for (const TableKind& kind : TableKinds()) {
    const bool all = std::all_of(kind.columns.begin(), kind.columns.end(), [&](auto name) {
      return csv.FindColumn(name).has_value();
    });
    if (all) return &kind;
  }
  return nullptr;
}

std::string KnownKinds() {
  std::string text;
  for (const TableKind& kind : TableKinds()) {
    text += text.empty() ? "" : "; ";
    text += std::string(kind.name) + ":";
    for (const std::string_view column : kind.columns) text += " " + std::string(column);
  }
  return text;
}

bool IsCalled(const Device& device, std::string_view name) {
  const std::string asked = NormaliseName(name);
  if (asked == NormaliseName(device.name)) return true;
  return std::any_of(device.aliases.begin(), device.aliases.end(), [&](const auto& alias) {
    return asked == NormaliseName(alias);
  });
}

std::string WholeRow(const CsvReader& csv) {
  CsvWriter writer(csv.header());
  const std::size_t header = writer.text().size();
  for (std::size_t i = 0; i < csv.header().size(); ++i) writer.Add(csv.Cell(i));
  writer.EndRow();
  return writer.text().substr(header);
}

}  // namespace

void ReadRows(std::string_view text,
              const std::string& file,
              const Device& device,
              MeasuredRows& out) {
  TableRow row(text, file);
  const TableKind* kind = KindOf(row.csv());
  if (kind == nullptr) {
    throw SpecError({{{file, 1, 1},
                      "",
                      "no table of operators that can be fitted",
                      "the header needs latency_us and the columns of one of " + KnownKinds()}});
  }
  const std::string base_name = Printable(std::filesystem::path(file).filename().string());
  std::size_t count = 0;
  while (row.Next()) {
    ++count;
    MeasuredRow measured;
    kind->read(row, device, measured);
    measured.time = row.Microseconds();
    if (row.wrong()) continue;
    const std::string gpu = row.TextOr("gpu", "");
    std::string reason = row.unusable();
    if (!row.missing().empty()) reason = "no " + row.missing();
    if (!gpu.empty() && !IsCalled(device, gpu)) {
      reason = "measured on " + Printable(gpu) + ", not on " + device.name;
    }
    if (!reason.empty()) {
      ++out.skipped[reason];
      continue;
    }
    measured.framework = row.TextOr("framework", "");
    measured.version = row.TextOr("version", "");
    measured.kernel = row.TextOr("kernel", "");
    measured.source = row.TextOr("source", "");
    measured.text = WholeRow(row.csv());
    measured.file = base_name;
    measured.line = static_cast<std::int64_t>(row.csv().line());
    out.rows.push_back(std::move(measured));
  }
  if (!row.problems().empty()) throw SpecError(row.problems());
  if (count == 0) {
    throw SpecError({{{file, 1, 1}, "", "has a header but no rows", "name a file with rows"}});
  }
}

void LoadRows(const std::string& path, const Device& device, MeasuredRows& out) {
  ReadRows(ReadUserFile(path).text, path, device, out);
}

}  // namespace roofcast
