// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/patterns.h"

#include <algorithm>
#include <string>

#include "core/text.h"

namespace roofcast {
namespace {

std::string Entry(std::string_view key, std::size_t index) {
  return std::string(key) + "[" + std::to_string(index) + "]";
}

std::string Known(const std::vector<PatternWord>& words) {
  std::vector<std::string> known;
  known.reserve(words.size());
  for (const auto& [word, letter] : words) known.emplace_back(word);
  return "known: " + JoinWithOr(known);
}

}  // namespace

std::vector<char> ReadPattern(ConfigReader& text,
                              std::string_view key,
                              std::int64_t layers,
                              const std::vector<PatternWord>& words) {
  std::vector<char> letters(static_cast<std::size_t>(layers), words.front().second);
  const ConfigNode* list = text.Find(key);
  if (list == nullptr) {
    text.Missing(key, "add it: one entry a layer");
    return letters;
  }
  const std::size_t entries = list->items.size();
  if (!list->IsList() || static_cast<std::int64_t>(entries) != layers) {
    const std::string is = list->IsList() ? std::to_string(entries) + " entries" : Quoted(*list);
    text.ComplainAt(
        *list, key, is + " for " + std::to_string(layers) + " layers", "give one entry a layer");
    return letters;
  }
  for (std::size_t i = 0; i < entries; ++i) {
    const ConfigNode& item = list->items[i];
    const auto word = std::find_if(words.begin(), words.end(), [&](const PatternWord& known) {
      return !item.IsMap() && !item.IsList() && known.first == item.text;
    });
    if (word != words.end()) {
      letters[i] = word->second;
    } else {
      text.ComplainAt(item, Entry(key, i), Quoted(item) + " is not understood", Known(words));
    }
  }
  return letters;
}

std::vector<bool> ReadLayerSet(ConfigReader& text,
                               std::string_view key,
                               std::int64_t layers,
                               std::int64_t first) {
  std::vector<bool> set(static_cast<std::size_t>(layers), false);
  if (!text.Given(key)) {
    text.Missing(key);
    return set;
  }
  for (const std::int64_t index : text.Counts(key)) {
    if (index < first || index >= first + layers) {
      text.Complain(
          key,
          "there is no layer " + std::to_string(index),
          "layers are " + std::to_string(first) + " to " + std::to_string(first + layers - 1));
      return set;
    }
    set[static_cast<std::size_t>(index - first)] = true;
  }
  return set;
}

void CheckRecurrentGroups(ConfigReader& text,
                          std::string_view key,
                          std::int64_t heads,
                          std::int64_t groups) {
  if (!text.ok() || heads % groups == 0) return;
  text.Complain(
      key,
      std::to_string(groups) + " does not divide the " + std::to_string(heads) + " recurrent heads",
      "");
}

}  // namespace roofcast
