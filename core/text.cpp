// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/utf8.h"

namespace roofcast {

std::string NormaliseName(std::string_view name) {
  constexpr std::string_view kNonBreakingHyphen = "\xE2\x80\x91";
  name = Trim(name);
  std::string result;
  result.reserve(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.substr(i, kNonBreakingHyphen.size()) == kNonBreakingHyphen) {
      result += '-';
      i += kNonBreakingHyphen.size() - 1;
    } else if (c == ' ' || c == '_' || c == '-') {
      result += '-';
    } else {
      result += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return result;
}

namespace {
// Edit distance with transpositions of neighbours ("smx" for "sxm" counts one).
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}
}  // namespace

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 200;  // nobody misspells more than this
  constexpr std::size_t kShortestStart = 3;
  const std::string wanted = NormaliseName(name.substr(0, kLongestName));
  if (wanted.empty()) return std::nullopt;
  std::optional<std::string> nearest;
  std::optional<std::string> longer;
  std::size_t best = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 2 * kLongestName) continue;
    const std::string folded = NormaliseName(candidate);
    if (!longer && wanted.size() >= kShortestStart && folded.starts_with(wanted)) {
      longer = candidate;
    }
    const std::size_t apart =
        std::max(folded.size(), wanted.size()) - std::min(folded.size(), wanted.size());
    if (apart >= best) continue;
    const std::size_t distance = EditDistance(wanted, folded);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest ? nearest : longer;
}

std::optional<std::string> MisspeltName(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 200;
  constexpr std::size_t kShort = 8;  // fewer characters: one may be wrong
  constexpr std::size_t kLeast = 4;  // fewer still: none
  const auto letters = [](std::string_view text) {
    std::string folded;
    for (const char c : NormaliseName(text)) {
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) folded += c;
    }
    return folded;
  };
  const std::string wanted = letters(name.substr(0, kLongestName));
  for (const std::string& candidate : candidates) {
    const std::string folded = letters(candidate);
    if (folded == wanted) return candidate;
    const std::size_t size = std::min(wanted.size(), folded.size());
    if (size < kLeast || std::max(wanted.size(), folded.size()) > size + 2) continue;
    if (EditDistance(wanted, folded) <= (size < kShort ? 1 : 2)) return candidate;
  }
  return std::nullopt;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  const auto nearest = NearestName(name, candidates);
  return nearest ? "; did you mean " + Quoted(*nearest) + "?" : "";
}

std::string JoinWithOr(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> ParseNumbers(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<double> numbers;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    const auto number = ParseNumber(text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
}

std::string FormatExact(double value) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string Printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::array<char, 16> escape{};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const auto point = NextCodePoint(text, at);
    if (point && !IsControl(*point)) {
      result += text.substr(start, at - start);
      continue;
    }
    if (point && *point >= 0x80) {
      std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(*point));
    } else {
      std::snprintf(escape.data(),
                    escape.size(),
                    "\\x%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(text[start])));
    }
    result += escape.data();
  }
  return result;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return "'" + Printable(text) + "'";
  // Not through the middle of a character.
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return "'" + Printable(text.substr(0, end)) + "...'";
}

}  // namespace roofcast
