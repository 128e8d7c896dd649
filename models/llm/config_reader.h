// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "models/llm/config_node.h"

namespace roofcast {

// Larger sizes are mistakes, and products of them would overflow.
constexpr std::int64_t kLargestSize = 1'000'000'000;

// Reads one object of a config.json. A wrong or missing value is noted, and reading goes on with
// a stand-in of 1, so that one pass finds every problem; use what was read only while ok(). Keys
// asked for count as understood, and RefuseUnread() refuses the others that may shape the model.
class ConfigReader {
 public:
  using Keys = std::initializer_list<std::string_view>;  // a key and its other spellings

  ConfigReader(const ConfigNode& map,
               std::string file,
               std::string path,
               std::vector<Problem>& problems);

  // A whole number from 1 to `largest` that the file must give.
  std::int64_t Size(std::string_view key, std::int64_t largest = kLargestSize);
  std::int64_t Size(Keys keys, std::int64_t largest = kLargestSize);
  // The same, or nothing when the key is absent or null.
  std::optional<std::int64_t> OptionalSize(Keys keys);
  // As OptionalSize, but 0 is allowed.
  std::optional<std::int64_t> OptionalCount(std::string_view key);
  std::optional<std::string> OptionalText(Keys keys);
  bool Flag(std::string_view key, bool when_absent);
  // Empty when the key is absent or null.
  std::vector<std::string> Texts(Keys keys);
  std::vector<std::int64_t> Counts(std::string_view key);

  const ConfigNode& map() const { return map_; }
  // The value of a key, or nullptr; null is a value.
  const ConfigNode* Find(std::string_view key);
  // Present and not null.
  bool Given(std::string_view key);
  // The keys of the object, in the order of the file; they don't count as understood.
  std::vector<std::string> NamesInside() const;
  // An object within, read by its own reader; nullptr (and a problem) when it is none.
  ConfigReader* Inside(std::string_view key);
  // The objects of a list, each read by its own reader; the list must be there.
  std::vector<ConfigReader*> Each(std::string_view key);
  // Keys that are understood and on purpose not used.
  void Ignore(Keys keys);
  // The same for all keys that nothing asked for: the object as a whole was refused already.
  void IgnoreRest() { ignore_rest_ = true; }

  void Missing(std::string_view key, std::string cure = "add it");
  void Complain(std::string_view key, std::string text, std::string cure);
  void ComplainAt(const ConfigNode& node, std::string_view key, std::string text, std::string cure);

  // No problem in the whole file so far.
  bool ok() const { return problems_.empty(); }
  // Refuses keys that nothing asked for and that may shape the model, here and in the objects
  // within.
  void RefuseUnread();
  // RefuseUnread() then refuses every key that nothing asked for: in a quantisation none is safe.
  void MakeStrict() { strict_ = true; }

 private:
  // The first spelling that is given; others must say the same.
  const ConfigNode* FindOneOf(Keys keys, std::string_view& spelling);
  std::optional<std::int64_t> WholeNumber(const ConfigNode& node,
                                          std::string_view key,
                                          std::int64_t least,
                                          std::int64_t largest);
  std::string PathOf(std::string_view key) const;

  const ConfigNode& map_;
  std::string file_;
  std::string path_;
  std::vector<Problem>& problems_;
  bool strict_ = false;
  bool ignore_rest_ = false;
  std::set<std::string, std::less<>> asked_;
  std::vector<std::string> absent_flags_;  // true without a word in the file
  std::vector<std::unique_ptr<ConfigReader>> inside_;
};

}  // namespace roofcast
