// SPDX-License-Identifier: Apache-2.0
#include "cli/grid.h"

#include "cli/number_list.h"
#include "core/error.h"

namespace roofcast::cli {

std::optional<std::int64_t> Find(const Point& point, std::string_view flag) {
  for (const auto& [name, value] : point) {
    if (name == flag) return value;
  }
  return std::nullopt;
}

Grid::Grid(const Verb& verb, const Arguments& arguments) {
  for (const Flag& flag : verb.flags) {
    if (flag.kind != FlagKind::kNumbers || !arguments.Has(flag.name)) continue;
    axes_.push_back({flag.name, ParseNumberList(flag.name, arguments.Get(flag.name))});
    rows_ *= static_cast<std::int64_t>(axes_.back().values.size());  // both at most kMostRows
    if (rows_ > kMostRows) {
      throw ArgumentError("--" + std::string(flag.name) +
                          ": makes more than 100000 rows with the other flags; ask for fewer");
    }
  }
}

Point Grid::At(std::int64_t row) const {
  Point point(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(axes_[i].values.size());
    point[i] = {axes_[i].flag, axes_[i].values[static_cast<std::size_t>(row % size)]};
    row /= size;
  }
  return point;
}

std::vector<std::string_view> Grid::Varied() const {
  std::vector<std::string_view> varied;
  for (const Axis& axis : axes_) {
    if (axis.values.size() > 1) varied.push_back(axis.flag);
  }
  return varied;
}

}  // namespace roofcast::cli
