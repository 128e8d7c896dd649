// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"

#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::size_t kMostProblems = 20;
// What clocks and patience allow; beyond, the unit is wrong.
constexpr double kShortestLatency = 1e-3;
constexpr double kLongestLatency = 1e9;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40U;

}  // namespace

bool TableRow::Next() {
  missing_.clear();
  unusable_.clear();
  wrong_ = false;
  return problems_.size() < kMostProblems && csv_.Next();
}

const std::string& TableRow::Text(std::string_view name) {
  const std::string& cell = csv_.Cell(csv_.Column(name));
  if (Trim(cell).empty()) missing_ = name;
  return cell;
}

std::string TableRow::TextOr(std::string_view name, std::string_view otherwise) const {
  const auto column = csv_.FindColumn(name);
  if (!column || Trim(csv_.Cell(*column)).empty()) return std::string(otherwise);
  return csv_.Cell(*column);
}

std::int64_t TableRow::Size(std::string_view name, std::int64_t least) {
  const std::size_t column = csv_.Column(name);
  const auto value = Read(name, [&] { return csv_.Integer(column); });
  if (value && *value < least) {
    Complain(name, least == 1 ? " is not positive" : " is too small", "write a size");
  } else if (value && *value > kLargestSize) {
    Complain(name, " is too large for a size", "check its unit");
  }
  return value.value_or(least);
}

std::int64_t TableRow::SizeOr(std::string_view name, std::int64_t otherwise) {
  return TextOr(name, "").empty() ? otherwise : Size(name, 0);
}

double TableRow::Positive(std::string_view name) {
  const std::size_t column = csv_.Column(name);
  const auto value = Read(name, [&] { return csv_.Number(column); });
  if (value && !(*value > 0)) Complain(name, " is not positive", "leave unknown cells empty");
  return value.value_or(1);
}

double TableRow::Microseconds(std::string_view name) {
  const std::size_t column = csv_.Column(name);
  const auto value = Read(name, [&] { return csv_.Number(column); });
  if (value && *value <= 0) {
    Complain(name, " is not positive", "write microseconds, or nothing where it is not known");
  } else if (value && !(*value >= kShortestLatency && *value <= kLongestLatency)) {
    const bool is_short = *value < kShortestLatency;
    Complain(name,
             is_short ? " is below 0.001 microseconds" : " is above 1e9 microseconds",
             "check its unit, or leave the cell empty where it is not known");
  }
  return value.value_or(1);
}

void TableRow::Complain(std::string_view name, const std::string& text, std::string cure) {
  const std::size_t column = csv_.Column(name);
  problems_.push_back({csv_.Where(column),
                       csv_.header()[column],
                       Quoted(csv_.Cell(column)) + text,
                       std::move(cure)});
  wrong_ = true;
}

template <class Reader>
auto TableRow::Read(std::string_view name, Reader reader) -> decltype(reader()) {
  try {
    const auto value = reader();
    if (!value) missing_ = name;
    return value;
  } catch (const SpecError& error) {
    problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
    wrong_ = true;
    return std::nullopt;
  }
}

const std::vector<TableKind>& TableKinds() {
  static const std::vector<TableKind> kinds = {
      ElementwiseTable(),
      GemmTable(),
      LayerGemmTable(),
      AttentionTable(),
      MlaTable(),
      VidurElementwiseTable(),
      MoeTable(),
  };
  return kinds;
}

}  // namespace roofcast
