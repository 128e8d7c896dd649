// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config_reader.h"

#include <utility>

#include "core/text.h"
#include "models/llm/config_keys.h"

namespace roofcast {
namespace {
constexpr std::size_t kMostProblems = 100;  // enough to mend, short enough to read

std::string_view FirstOf(ConfigReader::Keys keys) {
  return *keys.begin();
}
}  // namespace

ConfigReader::ConfigReader(const ConfigNode& map,
                           std::string file,
                           std::string path,
                           std::vector<Problem>& problems)
    : map_(map), file_(std::move(file)), path_(std::move(path)), problems_(problems) {}

std::string ConfigReader::PathOf(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + Printable(key);
  return path_ + "." + Printable(key);
}

void ConfigReader::ComplainAt(const ConfigNode& node,
                              std::string_view key,
                              std::string text,
                              std::string cure) {
  if (problems_.size() >= kMostProblems) return;
  problems_.push_back(
      {{file_, node.line, node.column}, PathOf(key), std::move(text), std::move(cure)});
}

void ConfigReader::Complain(std::string_view key, std::string text, std::string cure) {
  const ConfigNode* node = Find(key);
  ComplainAt(node == nullptr ? map_ : *node, key, std::move(text), std::move(cure));
}

void ConfigReader::Missing(std::string_view key, std::string cure) {
  ComplainAt(map_, "", "'" + std::string(key) + "' is missing", std::move(cure));
}

const ConfigNode* ConfigReader::Find(std::string_view key) {
  asked_.emplace(key);
  return map_.Find(key);
}

bool ConfigReader::Given(std::string_view key) {
  const ConfigNode* node = Find(key);
  return node != nullptr && !node->IsNull();
}

void ConfigReader::Ignore(Keys keys) {
  for (const std::string_view key : keys) asked_.emplace(key);
}

std::vector<std::string> ConfigReader::NamesInside() const {
  std::vector<std::string> names;
  names.reserve(map_.entries.size());
  for (const ConfigNode::Entry& entry : map_.entries) names.push_back(entry.key);
  return names;
}

ConfigReader* ConfigReader::Inside(std::string_view key) {
  const ConfigNode* node = Find(key);
  if (node == nullptr) {
    Missing(key);
    return nullptr;
  }
  if (!node->IsMap()) {
    ComplainAt(*node, key, Quoted(*node) + " is not an object", "");
    return nullptr;
  }
  inside_.push_back(std::make_unique<ConfigReader>(*node, file_, PathOf(key), problems_));
  return inside_.back().get();
}

std::vector<ConfigReader*> ConfigReader::Each(std::string_view key) {
  std::vector<ConfigReader*> readers;
  const ConfigNode* list = Find(key);
  if (list == nullptr) {
    Missing(key);
    return readers;
  }
  if (!list->IsList()) ComplainAt(*list, key, Quoted(*list) + " is not a list", "");
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const std::string entry = std::string(key) + "[" + std::to_string(i) + "]";
    if (!list->items[i].IsMap()) {
      ComplainAt(list->items[i], entry, Quoted(list->items[i]) + " is not an object", "");
      continue;
    }
    inside_.push_back(
        std::make_unique<ConfigReader>(list->items[i], file_, PathOf(entry), problems_));
    readers.push_back(inside_.back().get());
  }
  return readers;
}

const ConfigNode* ConfigReader::FindOneOf(Keys keys, std::string_view& spelling) {
  const ConfigNode* found = nullptr;
  spelling = FirstOf(keys);
  for (const std::string_view key : keys) {
    const ConfigNode* node = Find(key);
    if (node == nullptr || (found != nullptr && node->IsNull())) continue;
    if (found == nullptr || found->IsNull()) {
      found = node;
      spelling = key;
    } else if (node->text != found->text || node->kind != found->kind) {
      ComplainAt(
          *node,
          key,
          Quoted(*node) + " contradicts " + std::string(spelling) + ", which is " + Quoted(*found),
          "keep one of them");
    }
  }
  return found;
}

std::optional<std::int64_t> ConfigReader::WholeNumber(const ConfigNode& node,
                                                      std::string_view key,
                                                      std::int64_t least,
                                                      std::int64_t largest) {
  const bool number = node.kind == ConfigNode::Kind::kNumber;
  if (!number || node.text.find_first_not_of("-0123456789") != std::string::npos) {
    ComplainAt(node,
               key,
               Quoted(node) + " is not a whole number",
               node.kind == ConfigNode::Kind::kText ? "write it without quotes" : "");
    return std::nullopt;
  }
  if (node.text.starts_with('-') || (least > 0 && IsOff(node))) {
    ComplainAt(node, key, Quoted(node) + (least > 0 ? " is not positive" : " is negative"), "");
    return std::nullopt;
  }
  const auto value = ParseInteger(node.text);
  if (!value || *value > largest) {
    ComplainAt(node,
               key,
               Quoted(node) + " is more than " + std::to_string(largest) + ", the most allowed",
               "");
    return std::nullopt;
  }
  return value;
}

std::int64_t ConfigReader::Size(std::string_view key, std::int64_t largest) {
  return Size({key}, largest);
}

std::int64_t ConfigReader::Size(Keys keys, std::int64_t largest) {
  std::string_view key;
  const ConfigNode* node = FindOneOf(keys, key);
  if (node == nullptr) {
    Missing(key);
    return 1;
  }
  return WholeNumber(*node, key, 1, largest).value_or(1);
}

std::optional<std::int64_t> ConfigReader::OptionalSize(Keys keys) {
  std::string_view key;
  const ConfigNode* node = FindOneOf(keys, key);
  if (node == nullptr || node->IsNull()) return std::nullopt;
  return WholeNumber(*node, key, 1, kLargestSize);
}

std::optional<std::int64_t> ConfigReader::OptionalCount(std::string_view key) {
  const ConfigNode* node = Find(key);
  if (node == nullptr || node->IsNull()) return std::nullopt;
  return WholeNumber(*node, key, 0, kLargestSize);
}

std::optional<std::string> ConfigReader::OptionalText(Keys keys) {
  std::string_view key;
  const ConfigNode* node = FindOneOf(keys, key);
  if (node == nullptr || node->IsNull()) return std::nullopt;
  if (node->kind != ConfigNode::Kind::kText) {
    ComplainAt(*node, key, Quoted(*node) + " is not text", "");
    return std::nullopt;
  }
  return node->text;
}

bool ConfigReader::Flag(std::string_view key, bool when_absent) {
  const ConfigNode* node = Find(key);
  if (node == nullptr) {
    if (when_absent) absent_flags_.emplace_back(key);
    return when_absent;
  }
  if (node->kind != ConfigNode::Kind::kBool) {
    ComplainAt(*node, key, Quoted(*node) + " is not true or false", "");
    return when_absent;
  }
  return node->text == "true";
}

std::vector<std::string> ConfigReader::Texts(Keys keys) {
  std::vector<std::string> texts;
  for (const std::string_view key : keys) {
    const ConfigNode* node = Find(key);
    if (node == nullptr || node->IsNull()) continue;
    if (!node->IsList()) ComplainAt(*node, key, Quoted(*node) + " is not a list", "");
    for (const ConfigNode& item : node->items) {
      if (item.kind == ConfigNode::Kind::kText) {
        texts.push_back(item.text);
      } else {
        ComplainAt(item, key, Quoted(item) + " is not text", "");
      }
    }
  }
  return texts;
}

std::vector<std::int64_t> ConfigReader::Counts(std::string_view key) {
  std::vector<std::int64_t> counts;
  const ConfigNode* node = Find(key);
  if (node == nullptr || node->IsNull()) return counts;
  if (!node->IsList()) ComplainAt(*node, key, Quoted(*node) + " is not a list", "");
  for (const ConfigNode& item : node->items) {
    if (const auto count = WholeNumber(item, key, 0, kLargestSize)) counts.push_back(*count);
  }
  return counts;
}

void ConfigReader::RefuseUnread() {
  if (ignore_rest_) return;
  std::vector<std::string> absent;  // what a misspelt key may have meant
  for (const std::string& key : asked_) {
    if (map_.Find(key) == nullptr) absent.push_back(key);
  }
  for (const ConfigNode::Entry& entry : map_.entries) {
    if (asked_.contains(entry.key)) continue;
    // What is switched off needs no understanding, unless the word may mean what is on otherwise.
    const bool off = IsOff(entry.value);
    auto nearest = NearestName(entry.key, off ? absent_flags_ : absent);
    if (off && (!nearest || entry.value.kind != ConfigNode::Kind::kBool)) continue;
    // A misspelt key that has a default would be passed over, whatever its words are.
    const auto misspelt =
        off || IsHarmless(entry.key) ? std::nullopt : MisspeltName(entry.key, absent);
    if (misspelt) nearest = misspelt;
    if (!strict_ && !misspelt && !MayShapeTheModel(entry.key)) continue;
    ConfigNode place;
    place.line = entry.line;
    place.column = entry.column;
    ComplainAt(
        place,
        entry.key,
        "not understood, and it may shape the model",
        nearest ? "did you mean '" + *nearest + "'?" : "remove it if no tensor depends on it");
  }
  for (const auto& reader : inside_) reader->RefuseUnread();
}

}  // namespace roofcast
