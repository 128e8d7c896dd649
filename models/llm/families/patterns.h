// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/llm/config_reader.h"

// Layer patterns: lists or texts with one entry a layer.
namespace roofcast {

// An entry of a pattern and the letter that the family's reader knows it by.
using PatternWord = std::pair<std::string_view, char>;

// The letters of `key`, a list with one word (or whole number) a layer. Complains about unknown
// words and another number of entries than `layers`, and then gives the first letter instead.
std::vector<char> ReadPattern(ConfigReader& text,
                              std::string_view key,
                              std::int64_t layers,
                              const std::vector<PatternWord>& words);

// Indices of layers that a list names, as a flag a layer. `first`: the index that the file calls
// the first layer. Complains about indices that no layer has.
std::vector<bool> ReadLayerSet(ConfigReader& text,
                               std::string_view key,
                               std::int64_t layers,
                               std::int64_t first);

// Groups of keys, or of B and C, each serve as many recurrent heads.
void CheckRecurrentGroups(ConfigReader& text,
                          std::string_view key,
                          std::int64_t heads,
                          std::int64_t groups);

// A recurrent size: bounded so that the state's numbers fit 64 bits.
inline constexpr std::int64_t kLargestRecurrent = 100'000;

}  // namespace roofcast
