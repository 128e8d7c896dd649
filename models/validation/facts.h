// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace roofcast {

// What is known of one row: its cells by column, then what its text tells and its source implies.
// A fact that isn't there is unknown.
class Facts {
 public:
  // The value, or "" when it is unknown.
  const std::string& Text(std::string_view name) const;
  bool Has(std::string_view name) const { return !Text(name).empty(); }
  // Empty values and facts that are known already are left out.
  void Add(std::string_view name, std::string_view value);

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Names that facts may have: the columns of a training table and what profiles add to them.
bool IsFactName(std::string_view name);

}  // namespace roofcast
