// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

// A value of a config.json that knows where it stands, so that messages can name line and column.
struct ConfigNode {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  int line = 0;
  int column = 0;
  std::string text;  // decoded text; numbers and bools as written
  std::vector<ConfigNode> items;
  std::vector<Entry> entries;

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsList() const { return kind == Kind::kList; }
  bool IsMap() const { return kind == Kind::kMap; }
  // The value of `key`, or nullptr.
  const ConfigNode* Find(std::string_view key) const;
};

struct ConfigNode::Entry {
  std::string key;
  int line = 0;
  int column = 0;
  ConfigNode value;
};

// JSON as core/json.h reads it, except that Infinity and NaN are numbers: Python writes them into
// keys that shape nothing (time_step_limit of Nemotron-H). `file` is what messages call the text.
// Throws SpecError.
ConfigNode ParseConfig(std::string_view text, const std::string& file);

// The value as messages repeat it: 'text', 12, null, "a list".
std::string Quoted(const ConfigNode& node);

}  // namespace roofcast
