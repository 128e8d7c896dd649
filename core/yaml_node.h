// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace roofcast {

// An immutable YAML document in which every node knows where it stands. Anchors, aliases, tags,
// several documents and duplicate keys are refused, and depth and size are bounded, so that no
// file can surprise a reader or exhaust memory.
class YamlNode {
 public:
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind() const { return kind_; }
  bool IsNull() const { return kind_ == Kind::kNull; }
  bool IsScalar() const { return kind_ == Kind::kScalar; }
  bool IsList() const { return kind_ == Kind::kList; }
  bool IsMap() const { return kind_ == Kind::kMap; }

  const std::string& scalar() const { return scalar_; }
  bool quoted() const { return quoted_; }  // "8" in quotes is text, 8 is a number
  const std::vector<YamlNode>& items() const { return items_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // The value of `key`, or nullptr.
  const YamlNode* Find(std::string_view key) const;

  Location where() const { return {file_ ? *file_ : std::string(), line_, column_}; }

 private:
  friend class YamlBuilder;
  Kind kind_ = Kind::kNull;
  bool quoted_ = false;
  int line_ = 0;
  int column_ = 0;
  std::string scalar_;
  std::vector<YamlNode> items_;
  std::vector<Entry> entries_;
  std::shared_ptr<const std::string> file_;
};

struct YamlNode::Entry {
  std::string key;
  Location where;  // of the key
  YamlNode value;
};

// `file` is what messages call the document. Throws SpecError.
YamlNode ParseYaml(std::string_view text, const std::string& file);

}  // namespace roofcast
