// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/verb.h"

namespace roofcast::cli {

// The value of every numeric flag in one row.
using Point = std::vector<std::pair<std::string_view, std::int64_t>>;
std::optional<std::int64_t> Find(const Point& point, std::string_view flag);

// Every combination of the values of a verb's numeric flags; the last flag varies fastest.
class Grid {
 public:
  // Throws ArgumentError: a value that is no number, or more than kMostRows combinations.
  Grid(const Verb& verb, const Arguments& arguments);

  std::int64_t rows() const { return rows_; }
  Point At(std::int64_t row) const;
  // Flags with more than one value.
  std::vector<std::string_view> Varied() const;

 private:
  struct Axis {
    std::string_view flag;
    std::vector<std::int64_t> values;
  };
  std::vector<Axis> axes_;
  std::int64_t rows_ = 1;
};

}  // namespace roofcast::cli
