// SPDX-License-Identifier: Apache-2.0
#include "calibration/read_rows.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "calibration/clean_rows.h"
#include "calibration/tables/table.h"
#include "core/catalog.h"
#include "core/error.h"
#include "core/text.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

// The kinds that a table may be; two share a header where a table holds rows of both.
std::vector<const TableKind*> KindsOf(const CsvReader& csv) {
  std::vector<const TableKind*> kinds;
  for (const TableKind& kind : TableKinds()) {
    const bool all = std::all_of(kind.columns.begin(), kind.columns.end(), [&](auto name) {
      return csv.FindColumn(name).has_value();
    });
    if (all) kinds.push_back(&kind);
  }
  return kinds;
}

// Reads the row as the first kind that takes it; what the last one missed stands otherwise.
void ReadAs(const std::vector<const TableKind*>& kinds, TableRow& row, MeasuredRow& out) {
  for (const TableKind* kind : kinds) {
    row.Forget();
    kind->read(row, *out.device, out);
    if (row.wrong() || (row.missing().empty() && row.unusable().empty())) return;
  }
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

// The device of a row, from its column `gpu`.
class DeviceFinder {
 public:
  explicit DeviceFinder(std::shared_ptr<const Device> only) : only_(std::move(only)) {}

  // nullptr, and why, when the row is of no use here.
  std::shared_ptr<const Device> Of(const std::string& gpu, std::string& why) {
    if (only_ != nullptr) {
      if (gpu.empty() || IsCalled(*only_, gpu)) return only_;
      why = "measured on " + Printable(gpu) + ", not on " + only_->name;
      return nullptr;
    }
    const auto [found, is_new] = known_.try_emplace(gpu);
    if (is_new && !gpu.empty()) {
      try {
        found->second = std::make_shared<const Device>(LoadDevice(gpu));
      } catch (const NotFoundError&) {
        found->second = nullptr;
      }
    }
    if (found->second == nullptr) {
      why = gpu.empty() ? "no gpu" : "measured on " + Printable(gpu) + ", which the catalog lacks";
    }
    return found->second;
  }

 private:
  std::shared_ptr<const Device> only_;
  std::map<std::string, std::shared_ptr<const Device>> known_;
};

// All that a row says but how long it took and how it was averaged.
std::string IdentityOf(const CsvReader& csv) {
  static constexpr std::array<std::string_view, 8> kResults = {
      "latency_us", "latency_us_min", "spread", "repeats", "copies", "timing", "file", "row"};
  std::string identity;
  for (std::size_t i = 0; i < csv.header().size(); ++i) {
    const auto found = std::find(kResults.begin(), kResults.end(), csv.header()[i]);
    if (found == kResults.end()) identity += csv.Cell(i) + "\n";
  }
  return identity;
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
              const std::shared_ptr<const Device>& device,
              MeasuredRows& out) {
  DeviceFinder devices(device);
  const std::size_t first = out.rows.size();
  TableRow row(text, file);
  const std::vector<const TableKind*> kinds = KindsOf(row.csv());
  if (kinds.empty()) {
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
    std::string elsewhere;
    measured.device = devices.Of(row.TextOr("gpu", ""), elsewhere);
    if (measured.device == nullptr) {
      ++out.skipped[elsewhere];
      continue;
    }
    ReadAs(kinds, row, measured);
    measured.time = row.Microseconds();
    if (row.wrong()) continue;
    std::string reason = row.unusable();
    if (!row.missing().empty()) reason = "no " + row.missing();
    if (!reason.empty()) {
      ++out.skipped[reason];
      continue;
    }
    measured.framework = row.TextOr("framework", "");
    measured.version = row.TextOr("version", "");
    measured.kernel = row.TextOr("kernel", "");
    measured.source = row.TextOr("source", "");
    measured.text = WholeRow(row.csv());
    measured.identity = IdentityOf(row.csv());
    measured.file = base_name;
    measured.line = static_cast<std::int64_t>(row.csv().line());
    out.rows.push_back(std::move(measured));
  }
  if (!row.problems().empty()) throw SpecError(row.problems());
  if (count == 0) {
    throw SpecError({{{file, 1, 1}, "", "has a header but no rows", "name a file with rows"}});
  }
  CleanRows(base_name, first, out);
}

void LoadRows(const std::string& path,
              const std::shared_ptr<const Device>& device,
              MeasuredRows& out) {
  ReadRows(ReadUserFile(path).text, path, device, out);
}

}  // namespace roofcast
