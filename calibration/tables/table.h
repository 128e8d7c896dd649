// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measured_row.h"
#include "core/csv.h"
#include "core/dtype.h"
#include "core/error.h"
#include "hardware/device.h"

namespace roofcast {

// The current row of a table of measurements: cells by name, with what is wrong or missing noted
// on the way, so that a table's reader reads like the list of its columns.
class TableRow {
 public:
  TableRow(std::string_view text, const std::string& file) : csv_(text, file) {}

  CsvReader& csv() { return csv_; }
  const std::vector<Problem>& problems() const { return problems_; }
  bool Next();

  // After its cells were read: whether one can't be right, and the name of one that is empty.
  bool wrong() const { return wrong_; }
  const std::string& missing() const { return missing_; }
  // Why the row can't be used although nothing in it is wrong; "" when it can.
  const std::string& unusable() const { return unusable_; }
  void NotUsable(std::string reason) { unusable_ = std::move(reason); }
  // Before the same row is read as another kind of table.
  void Forget() {
    missing_.clear();
    unusable_.clear();
  }

  bool Has(std::string_view name) const { return csv_.FindColumn(name).has_value(); }
  const std::string& Text(std::string_view name);
  // As Text, but neither the column nor its cell need be there.
  std::string TextOr(std::string_view name, std::string_view otherwise) const;
  // A whole number, at least `least`.
  std::int64_t Size(std::string_view name, std::int64_t least = 1);
  std::int64_t SizeOr(std::string_view name, std::int64_t otherwise);
  double Positive(std::string_view name);
  double Microseconds(std::string_view name = "latency_us");
  void Complain(std::string_view column, const std::string& text, std::string cure);

 private:
  template <class Reader>
  auto Read(std::string_view name, Reader reader) -> decltype(reader());

  CsvReader csv_;
  std::vector<Problem> problems_;
  std::string missing_;
  std::string unusable_;
  bool wrong_ = false;
};

// One schema of operator tables, recognised by columns that no other has together.
struct TableKind {
  std::string_view name;
  std::vector<std::string_view> columns;
  // Fills op, family, format and key; what every table has (latency_us, framework, ...) is read
  // by the caller.
  void (*read)(TableRow& row, const Device& device, MeasuredRow& out);
};

// The only list of them; each is read in tables/NAME.cpp.
const std::vector<TableKind>& TableKinds();

TableKind ElementwiseTable();
TableKind GemmTable();
TableKind LayerGemmTable();
TableKind AttentionTable();
TableKind MlaTable();
TableKind VidurElementwiseTable();
TableKind MoeTable();

}  // namespace roofcast
