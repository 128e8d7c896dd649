// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::size_t kLargestText = 16U << 20U;
constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kDeepest = 64;

// Walks the text and counts, so that the builder below knows where it stands: nlohmann's events
// carry no place.
class CountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names of an iterator's types
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    *furthest_ = at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// Builds the value from nlohmann's events.
class JsonBuilder {
 public:
  JsonBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // NOLINTBEGIN(readability-identifier-naming): nlohmann calls these by their names
  bool null() { return Add(nullptr) != nullptr; }
  bool boolean(bool value) { return Add(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return Add(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return Add(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) {
    return Add(value) != nullptr;
  }
  bool string(std::string& value) { return Add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t& /*value*/) { return false; }  // not in JSON text
  bool start_object(std::size_t /*size*/) { return Open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& value) {
    Level& level = levels_.back();
    if (!level.keys.insert(value).second) {
      Refuse(StartOfString(), Quoted(value) + " is given twice", "keep one of them");
    }
    level.key = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position,
                   const std::string& /*token*/,
                   const nlohmann::detail::exception& error);
  // NOLINTEND(readability-identifier-naming)

  const char* furthest = nullptr;
  Json root;

 private:
  struct Level {
    Json* value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  template <class T>
  Json* Add(T&& value) {
    if (++values_ > kMostValues) {
      Refuse(Offset(), "more than 4 million values", "split the file");
    }
    if (levels_.empty()) {
      root = std::forward<T>(value);
      return &root;
    }
    Level& level = levels_.back();
    if (level.value->is_array()) {
      auto& items = level.value->get_ref<Json::array_t&>();
      return &items.emplace_back(std::forward<T>(value));
    }
    // Past the object's own insertion, which looks through all keys each time.
    auto& entries = level.value->get_ref<Json::object_t&>();
    return &entries.emplace_back(std::move(level.key), std::forward<T>(value)).second;
  }
  bool Open(Json container) {
    if (levels_.size() >= kDeepest) {
      Refuse(Offset() - 1, "nested deeper than 64 levels", "flatten it");
    }
    levels_.push_back({Add(std::move(container)), "", {}});
    return true;
  }
  bool Close() {
    levels_.pop_back();
    return true;
  }

  std::size_t Offset() const {
    return furthest == nullptr ? 0 : static_cast<std::size_t>(furthest - text_.data());
  }
  // The opening quote of the string whose closing quote was just read: the nearest quote before it
  // that isn't escaped.
  std::size_t StartOfString() const {
    std::size_t at = Offset() - 1;
    while (at > 0) {
      --at;
      if (text_[at] != '"') continue;
      std::size_t escapes = 0;
      while (escapes < at && text_[at - 1 - escapes] == '\\') ++escapes;
      if (escapes % 2 == 0) return at;
    }
    return 0;
  }
  [[noreturn]] void Refuse(std::size_t offset, std::string text, std::string cure) const {
    throw SpecError({{LocationIn(text_, offset, file_), "", std::move(text), std::move(cure)}});
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

// The literal around an offset, as "NaN" in `[1, NaN]`.
std::string_view WordAround(std::string_view text, std::size_t& offset) {
  const auto in_word = [&](std::size_t at) {
    const char c = text[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+';
  };
  constexpr std::size_t kLongest = 16;
  std::size_t end = offset;
  while (offset > 0 && end - offset < kLongest && in_word(offset - 1)) --offset;
  while (end < text.size() && end - offset < kLongest && in_word(end)) ++end;
  return text.substr(offset, end - offset);
}

bool JsonBuilder::parse_error(std::size_t position,
                              const std::string& /*token*/,
                              const nlohmann::detail::exception& error) {
  // nlohmann counts the bytes read, the offending one included.
  std::size_t offset = std::min(position > 0 ? position - 1 : 0, text_.size());
  std::size_t start = offset;
  const std::string_view word = WordAround(text_, start);
  for (const std::string_view literal : {"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"}) {
    if (word == literal) {
      Refuse(start, std::string(literal) + " is not JSON", "write null for a value not known");
    }
  }
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing
  // value - invalid literal; last read: 'x'": what stands between the dash and the semicolon.
  std::string_view what = error.what();
  if (const auto dash = what.find(" - "); dash != std::string_view::npos) {
    what.remove_prefix(dash + 3);
  } else if (const auto bracket = what.find("] "); bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  if (const auto last = what.find("; last read"); last != std::string_view::npos) {
    what = what.substr(0, last);
  }
  Refuse(offset, "not valid JSON: " + Printable(what.substr(0, 200)), "");
}

}  // namespace

Location LocationIn(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(lines) + 1, static_cast<int>(before.size() - line_start) + 1};
}

Json ParseJson(std::string_view text, const std::string& file) {
  if (text.size() > kLargestText) {
    throw SpecError({{{file, 0, 0}, "", "larger than 16 MiB", "split it"}});
  }
  if (Trim(text).empty()) throw SpecError({{{file, 0, 0}, "", "is empty", "write one JSON value"}});
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    throw SpecError({{LocationIn(text, nul, file), "", "holds a NUL byte", "save it as text"}});
  }
  JsonBuilder builder(text, file);
  builder.furthest = text.data();
  const char* end = text.data() + text.size();
  const bool whole = Json::sax_parse(CountingIterator(text.data(), &builder.furthest),
                                     CountingIterator(end, &builder.furthest),
                                     &builder);
  ROOFCAST_CHECK(whole);  // every fault has thrown
  return std::move(builder.root);
}

std::string FormatJson(const Json& json, bool pretty) {
  constexpr int kSpaces = 2;
  return json.dump(pretty ? kSpaces : -1, ' ', false, Json::error_handler_t::replace) +
         (pretty ? "\n" : "");
}

}  // namespace roofcast
