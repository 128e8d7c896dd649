// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast::internal {

// The part of Python's regular expressions that quantisation tools write: text, '.', classes in
// brackets, \d \w and escaped signs, groups with alternatives, * + ? and {n,m}, ^ and $. Matching
// walks all ways at once, so that no pattern takes longer than its length times the text's.
class NamePattern {
 public:
  // Nothing when the pattern holds anything else (look-ahead, back-references).
  static std::optional<NamePattern> Parse(std::string_view pattern);
  // "*" any text, "?" any sign, "[...]" a class; matches the whole text.
  static std::optional<NamePattern> ParseGlob(std::string_view pattern);

  // As re.match: from the start of the text, any end unless the pattern says '$'.
  bool Matches(std::string_view text) const;

 private:
  friend class PatternParser;
  using Signs = std::bitset<256>;
  struct State {
    enum class Kind : unsigned char { kSign, kSplit, kStart, kEnd, kAccept } kind = Kind::kAccept;
    Signs signs;  // kSign: those it takes
    int next = -1;
    int other = -1;  // kSplit: the second way
  };
  // A set of states that a text may lead to, and where each sign leads from it (0 = not known yet,
  // else the set's number + 1).
  struct Reached {
    std::vector<int> states;
    bool accepts = false;
    bool accepts_at_end = false;
    std::array<int, 256> next{};
  };
  // Adds what `state` leads to without a sign; past '^' at the start, past '$' at the end alone.
  void Follow(int state, bool at_start, bool at_end, std::vector<int>& reached) const;
  int Number(std::vector<int> states) const;

  std::vector<State> states_;
  int start_ = 0;
  // Worked out while matching and kept for the next text: one pattern meets thousands of names.
  mutable std::vector<Reached> sets_;
  mutable std::map<std::vector<int>, int> numbers_;
};

}  // namespace roofcast::internal
