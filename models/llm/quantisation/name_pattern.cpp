// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation/name_pattern.h"

#include <algorithm>
#include <utility>

namespace roofcast::internal {
namespace {

constexpr std::size_t kLongestPattern = 1000;
constexpr std::size_t kMostStates = 1000;
constexpr std::size_t kMostSets = 500;  // kept; more are forgotten
constexpr int kDeepestGroup = 20;
constexpr int kMostRepeats = 20;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kWord =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

}  // namespace

// Builds the states from the end of the pattern to its start, so that each knows its successor.
class PatternParser {
 public:
  using State = NamePattern::State;

  explicit PatternParser(std::string_view text) : text_(text) {}

  std::optional<NamePattern> Parse(bool whole) {
    if (text_.size() > kLongestPattern) return std::nullopt;
    const auto tree = Alternatives(0);
    if (!tree || at_ != text_.size()) return std::nullopt;
    NamePattern pattern;
    int last = Add(pattern, {State::Kind::kAccept, {}, -1, -1});
    if (whole) last = Add(pattern, {State::Kind::kEnd, {}, last, -1});
    pattern.start_ = Build(pattern, *tree, last);
    if (pattern.states_.size() >= kMostStates) return std::nullopt;
    return pattern;
  }

 private:
  struct Item {
    enum class Kind : unsigned char { kSign, kStart, kEnd, kGroup } kind = Kind::kSign;
    std::string signs;
    bool negated = false;
    std::vector<std::vector<Item>> ways;  // kGroup
    int least = 1;
    int most = 1;  // -1 = any number
  };
  using Ways = std::vector<std::vector<Item>>;

  static int Add(NamePattern& pattern, const State& state) {
    if (pattern.states_.size() < kMostStates) pattern.states_.push_back(state);
    return static_cast<int>(pattern.states_.size()) - 1;
  }

  static NamePattern::Signs SignsOf(const Item& item) {
    NamePattern::Signs signs;
    for (const char sign : item.signs) signs.set(static_cast<unsigned char>(sign));
    return item.negated ? ~signs : signs;
  }

  static int BuildOnce(NamePattern& pattern, const Item& item, int next) {
    switch (item.kind) {
      case Item::Kind::kSign:
        return Add(pattern, {State::Kind::kSign, SignsOf(item), next, -1});
      case Item::Kind::kStart:
        return Add(pattern, {State::Kind::kStart, {}, next, -1});
      case Item::Kind::kEnd:
        return Add(pattern, {State::Kind::kEnd, {}, next, -1});
      case Item::Kind::kGroup:
        return Build(pattern, item.ways, next);
    }
    return next;
  }

  static int BuildItem(NamePattern& pattern, const Item& item, int next) {
    if (pattern.states_.size() >= kMostStates) return next;  // refused at the end
    if (item.most < 0) {
      const int loop = Add(pattern, {State::Kind::kSplit, {}, -1, next});
      const int body = BuildOnce(pattern, item, loop);
      pattern.states_[static_cast<std::size_t>(loop)].next = body;
      next = loop;
    }
    for (int i = item.least; i < item.most; ++i) {
      const int body = BuildOnce(pattern, item, next);
      next = Add(pattern, {State::Kind::kSplit, {}, body, next});
    }
    for (int i = 0; i < item.least; ++i) next = BuildOnce(pattern, item, next);
    return next;
  }

  static int Build(NamePattern& pattern, const Ways& ways, int next) {
    int start = -1;
    for (const std::vector<Item>& way : ways) {
      int first = next;
      for (auto item = way.rbegin(); item != way.rend(); ++item) {
        first = BuildItem(pattern, *item, first);
      }
      start = start < 0 ? first : Add(pattern, {State::Kind::kSplit, {}, start, first});
    }
    return start;
  }

  bool Done() const { return at_ >= text_.size(); }

  std::optional<Ways> Alternatives(int depth) {
    if (depth > kDeepestGroup) return std::nullopt;
    Ways ways(1);
    while (!Done() && text_[at_] != ')') {
      if (text_[at_] == '|') {
        ++at_;
        ways.emplace_back();
        continue;
      }
      auto item = One(depth);
      if (!item || !Repeats(*item)) return std::nullopt;
      ways.back().push_back(*std::move(item));
    }
    return ways;
  }

  std::optional<Item> One(int depth) {
    Item item;
    const char sign = text_[at_++];
    switch (sign) {
      case '(': {
        if (text_.substr(at_).starts_with("?:")) at_ += 2;
        if (!Done() && text_[at_] == '?') return std::nullopt;  // look-ahead and the like
        auto ways = Alternatives(depth + 1);
        if (!ways || Done()) return std::nullopt;
        ++at_;  // ')'
        item.kind = Item::Kind::kGroup;
        item.ways = *std::move(ways);
        return item;
      }
      case '[':
        return Class(item) ? std::optional(item) : std::nullopt;
      case '.':
        item.negated = true;  // none is left out
        return item;
      case '^':
        item.kind = Item::Kind::kStart;
        return item;
      case '$':
        item.kind = Item::Kind::kEnd;
        return item;
      case '\\':
        return Escape(item.signs) ? std::optional(item) : std::nullopt;
      case '*':
      case '+':
      case '?':
      case '{':
        return std::nullopt;
      default:
        item.signs = sign;
        return item;
    }
  }

  bool Escape(std::string& signs) {
    if (Done()) return false;
    const char sign = text_[at_++];
    if (sign == 'd') {
      signs += kDigits;
    } else if (sign == 'w') {
      signs += kWord;
    } else if (kWord.find(sign) != std::string_view::npos) {
      return false;
    } else {
      signs += sign;
    }
    return true;
  }

  bool Class(Item& item) {
    if (!Done() && text_[at_] == '^') {
      item.negated = true;
      ++at_;
    }
    while (!Done() && text_[at_] != ']') {
      const char sign = text_[at_++];
      if (sign == '\\') {
        if (!Escape(item.signs)) return false;
        continue;
      }
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        const auto last = static_cast<unsigned char>(text_[at_ + 1]);
        for (unsigned value = static_cast<unsigned char>(sign); value <= last; ++value) {
          item.signs += static_cast<char>(value);
        }
        at_ += 2;
      } else {
        item.signs += sign;
      }
    }
    if (Done() || item.signs.empty()) return false;
    ++at_;
    return true;
  }

  bool Number(int& value) {
    value = 0;
    bool any = false;
    while (!Done() && kDigits.find(text_[at_]) != std::string_view::npos) {
      value = value * 10 + (text_[at_++] - '0');
      any = true;
      if (value > kMostRepeats) return false;
    }
    return any;
  }

  bool Repeats(Item& item) {
    if (Done()) return true;
    const char sign = text_[at_];
    if (sign == '*' || sign == '+') {
      item.least = sign == '*' ? 0 : 1;
      item.most = -1;
    } else if (sign == '?') {
      item.least = 0;
    } else if (sign == '{') {
      ++at_;
      if (!Number(item.least)) return false;
      item.most = item.least;
      if (!Done() && text_[at_] == ',') {
        ++at_;
        item.most = -1;
        if (!Done() && text_[at_] != '}' && !Number(item.most)) return false;
      }
      if (Done() || text_[at_] != '}') return false;
    } else {
      return true;
    }
    ++at_;
    // A lazy or a greedy match takes the same texts.
    if (!Done() && text_[at_] == '?') ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<NamePattern> NamePattern::Parse(std::string_view pattern) {
  return PatternParser(pattern).Parse(/*whole=*/false);
}

std::optional<NamePattern> NamePattern::ParseGlob(std::string_view pattern) {
  std::string regular;
  bool in_class = false;
  for (const char sign : pattern) {
    if (sign == '*' && !in_class) {
      regular += ".*";
    } else if (sign == '?' && !in_class) {
      regular += '.';
    } else if (std::string_view(".()|+{}^$\\").find(sign) != std::string_view::npos) {
      regular += '\\';
      regular += sign;
    } else if (sign == '!' && regular.ends_with('[')) {
      regular += '^';
    } else {
      in_class = sign == '[' || (in_class && sign != ']');
      regular += sign;
    }
  }
  return PatternParser(regular).Parse(/*whole=*/true);
}

void NamePattern::Follow(int state, bool at_start, bool at_end, std::vector<int>& reached) const {
  std::vector<int> open = {state};
  while (!open.empty()) {
    const int index = open.back();
    open.pop_back();
    if (std::find(reached.begin(), reached.end(), index) != reached.end()) continue;
    reached.push_back(index);
    const State& at = states_[static_cast<std::size_t>(index)];
    if (at.kind == State::Kind::kSplit) open.push_back(at.other);
    if (at.kind == State::Kind::kSplit || (at.kind == State::Kind::kStart && at_start) ||
        (at.kind == State::Kind::kEnd && at_end)) {
      open.push_back(at.next);
    }
  }
}

int NamePattern::Number(std::vector<int> states) const {
  std::sort(states.begin(), states.end());
  const auto [found, added] = numbers_.try_emplace(states, static_cast<int>(sets_.size()));
  if (!added) return found->second;
  Reached set;
  std::vector<int> at_end;
  for (const int state : states) Follow(state, false, true, at_end);
  const auto accepts = [&](const std::vector<int>& reached) {
    return std::any_of(reached.begin(), reached.end(), [&](int state) {
      return states_[static_cast<std::size_t>(state)].kind == State::Kind::kAccept;
    });
  };
  set.accepts = accepts(states);
  set.accepts_at_end = accepts(at_end);
  set.states = std::move(states);
  sets_.push_back(std::move(set));
  return found->second;
}

bool NamePattern::Matches(std::string_view text) const {
  if (sets_.size() > kMostSets) {
    sets_.clear();
    numbers_.clear();
  }
  if (sets_.empty()) {
    std::vector<int> first;
    Follow(start_, true, false, first);
    Number(std::move(first));
  }
  int set = 0;
  for (const char sign : text) {
    const Reached& from = sets_[static_cast<std::size_t>(set)];
    if (from.accepts) return true;
    if (from.states.empty()) return false;
    const auto byte = static_cast<unsigned char>(sign);
    int next = from.next[byte] - 1;
    if (next < 0) {
      std::vector<int> reached;
      for (const int index : from.states) {
        const State& state = states_[static_cast<std::size_t>(index)];
        if (state.kind == State::Kind::kSign && state.signs[byte]) {
          Follow(state.next, false, false, reached);
        }
      }
      next = Number(std::move(reached));
      sets_[static_cast<std::size_t>(set)].next[byte] = next + 1;
    }
    set = next;
  }
  return sets_[static_cast<std::size_t>(set)].accepts_at_end;
}

}  // namespace roofcast::internal
