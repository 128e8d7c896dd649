// SPDX-License-Identifier: Apache-2.0
// Any text as a table. What is accepted is written and read back the same.
#include <string>
#include <vector>

#include "core/csv.h"
#include "tests/fuzz/fuzz.h"

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows Read(std::string_view text) {
  roofcast::CsvReader reader(text, "fuzz.csv");
  Rows rows = {reader.header()};
  while (reader.Next()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.header().size(); ++i) {
      row.push_back(reader.Cell(i));
      roofcast::fuzzing::Require(reader.Where(i).line > 0 && reader.Where(i).column > 0);
      roofcast::fuzzing::Accepts([&] { reader.Number(i); });
      roofcast::fuzzing::Accepts([&] { reader.Integer(i); });
    }
  }
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  Rows rows;
  const auto text = fuzzing::TextOf(data, size);
  if (!fuzzing::Accepts([&] { rows = Read(text); })) return 0;
  CsvWriter writer(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (const std::string& cell : rows[i]) writer.Add(cell);
    writer.EndRow();
  }
  fuzzing::Require(Read(writer.text()) == rows);
  return 0;
}
