// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config_node.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::size_t kLargestText = 2U << 20U;  // published configs stay below 1 MiB

// Past the closing quote of a text whose opening quote stands at `at`.
std::size_t EndOfText(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.';
}

// Whether `word` stands at `at` and is not a part of a longer one.
bool IsWordAt(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t end = at + word.size();
  return text.substr(at, word.size()) == word && (at == 0 || !IsWordCharacter(text[at - 1])) &&
         (end >= text.size() || !IsWordCharacter(text[end]));
}

// The same JSON with other numbers, as long as they were, in place of those that JSON lacks.
std::string WithoutNonFinite(std::string_view json) {
  std::string result(json);
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] == '"') {
      at = EndOfText(json, at);
    } else if (IsWordAt(json, at, "Infinity")) {
      result.replace(at, 8, "1.000000");
      at += 8;
    } else if (IsWordAt(json, at, "NaN")) {
      result.replace(at, 3, "1.0");
      at += 3;
    } else {
      ++at;
    }
  }
  return result;
}

// Walks over text that is known to be JSON, beside the values read from it.
class Locator {
 public:
  explicit Locator(std::string_view text) : text_(text) {}

  ConfigNode Locate(const Json& json) {
    SkipTo("{[\"-0123456789tfnIN");
    ConfigNode node;
    node.line = line_;
    node.column = Column();
    if (json.is_object()) {
      node.kind = ConfigNode::Kind::kMap;
      LocateEntries(json, node);
    } else if (json.is_array()) {
      node.kind = ConfigNode::Kind::kList;
      ++at_;
      for (const Json& item : json) node.items.push_back(Locate(item));
      SkipTo("]");
      ++at_;
    } else if (json.is_string()) {
      node.kind = ConfigNode::Kind::kText;
      node.text = json.get_ref<const std::string&>();
      at_ = EndOfText(text_, at_);
    } else {
      node.kind = json.is_null()      ? ConfigNode::Kind::kNull
                  : json.is_boolean() ? ConfigNode::Kind::kBool
                                      : ConfigNode::Kind::kNumber;
      const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      node.text = text_.substr(at_, end - at_);
      at_ = end;
    }
    return node;
  }

 private:
  void LocateEntries(const Json& json, ConfigNode& node) {
    ++at_;
    for (const auto& [key, value] : json.items()) {
      SkipTo("\"");
      ConfigNode::Entry entry;
      entry.key = key;
      entry.line = line_;
      entry.column = Column();
      at_ = EndOfText(text_, at_);
      entry.value = Locate(value);
      node.entries.push_back(std::move(entry));
    }
    SkipTo("}");
    ++at_;
  }

  // Only space and separators lie between.
  void SkipTo(std::string_view wanted) {
    while (at_ < text_.size() && wanted.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_++] != '\n') continue;
      ++line_;
      line_start_ = at_;
    }
  }
  int Column() const { return static_cast<int>(at_ - line_start_) + 1; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

const ConfigNode* ConfigNode::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ConfigNode ParseConfig(std::string_view text, const std::string& file) {
  if (text.size() > kLargestText) {
    throw SpecError({{{file, 0, 0}, "", "larger than 2 MiB", "give a config.json"}});
  }
  const Json json = ParseJson(WithoutNonFinite(text), file);
  return Locator(text).Locate(json);
}

std::string Quoted(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "null";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kMap:
      return "an object";
    case ConfigNode::Kind::kText:
      return Quoted(std::string_view(node.text));
    case ConfigNode::Kind::kBool:
    case ConfigNode::Kind::kNumber:
      break;
  }
  constexpr std::size_t kLongest = 40;
  return node.text.size() <= kLongest ? node.text : node.text.substr(0, kLongest) + "...";
}

}  // namespace roofcast
