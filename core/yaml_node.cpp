// SPDX-License-Identifier: Apache-2.0
// The only place that touches yaml-cpp. Its event interface is used, since its Node accepts
// duplicate keys silently and copies of it share state.
#include "core/yaml_node.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"

namespace roofcast {
namespace {

constexpr std::size_t kLargestText = 16U << 20U;
constexpr std::size_t kMostNodes = 500'000;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostProblems = 100;

Location PlaceIn(const std::string& file, const YAML::Mark& mark) {
  return mark.line < 0 ? Location{file, 0, 0} : Location{file, mark.line + 1, mark.column + 1};
}

[[noreturn]] void Refuse(Location where, std::string text, std::string cure) {
  throw SpecError({{std::move(where), "", std::move(text), std::move(cure)}});
}

// yaml-cpp guesses UTF-16 and UTF-32 from the first bytes and replaces what it can't decode;
// after this check there is nothing left to guess.
void CheckText(std::string_view text, const std::string& file) {
  int line = 1;
  std::size_t line_start = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const auto point = NextCodePoint(text, at);
    const bool space = point == U'\n' || point == U'\t' || point == U'\r';
    const Location here{file, line, static_cast<int>(start - line_start) + 1};
    if (!point) Refuse(here, "not UTF-8 text", "save the file as UTF-8");
    if ((*point < 0x20 && !space) || (*point >= 0x7F && *point < 0xA0)) {
      Refuse(here,
             "the control character " + Printable(text.substr(start, at - start)),
             "take it out");
    }
    if (*point == U'\n') {
      ++line;
      line_start = at;
    }
  }
}

// Byte offset of a mark. yaml-cpp counts bytes too, but doesn't see a byte-order mark.
std::size_t OffsetOf(std::string_view text, const YAML::Mark& mark) {
  std::size_t line_start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (int line = 0; line < mark.line; ++line) {
    const std::size_t end = text.find('\n', line_start);
    if (end == std::string_view::npos) return text.size();
    line_start = end + 1;
  }
  return std::min(line_start + static_cast<std::size_t>(std::max(mark.column, 0)), text.size());
}

// yaml-cpp takes the end of the text for a closing quote, so that half a file reads as a whole one.
bool IsClosed(std::string_view text, std::size_t open) {
  if (open >= text.size()) return true;
  const char quote = text[open];
  if (quote != '"' && quote != '\'') return true;  // a plain scalar with the tag '!'
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

// Builds our tree from yaml-cpp's events.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(std::string_view text, const std::string& file)
      : text_(text), file_(std::make_shared<const std::string>(file)) {
    root_.file_ = file_;  // an empty document still knows its file
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    const std::string_view before = Trim(text_.substr(0, OffsetOf(text_, mark)));
    if (before.ends_with("...") || text_.substr(OffsetOf(text_, mark)).starts_with("---")) {
      Refuse(PlaceIn(*file_, mark), "holds a second document", "keep one document a file");
    }
    // The first one ended where nothing was left that belongs to it.
    Refuse(PlaceIn(*file_, mark),
           "not valid YAML: does not continue what stands above",
           "check the indentation");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node = NewNode(mark, YamlNode::Kind::kNull, anchor, "?");
    if (!levels_.empty() && levels_.back().has_key) {
      // yaml-cpp may give the place of what follows; people look at the key.
      node.line_ = levels_.back().key_place.line;
      node.column_ = levels_.back().key_place.column;
    }
    Add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Refuse(PlaceIn(*file_, mark), "aliases are not supported", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    // yaml-cpp tags quoted scalars "!" and plain ones "?".
    const bool plain = tag != "!";
    const bool null = plain && (value == "~" || value == "null");
    YamlNode node =
        NewNode(mark, null ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar, anchor, tag);
    node.scalar_ = value;
    node.quoted_ = !plain;
    if (!plain) last_quoted_ = mark;
    Add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(mark, YamlNode::Kind::kList, anchor, tag));
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(mark, YamlNode::Kind::kMap, anchor, tag));
  }
  void OnMapEnd() override { Close(); }

  YamlNode Finish() {
    if (!problems_.empty()) throw SpecError(std::move(problems_));
    // Only the last quote can be open: it swallows the rest.
    if (!last_quoted_.is_null() && !IsClosed(text_, OffsetOf(text_, last_quoted_))) {
      Refuse(
          PlaceIn(*file_, last_quoted_), "not valid YAML: the quote is never closed", "close it");
    }
    return std::move(root_);
  }

 private:
  struct Level {
    YamlNode node;
    bool has_key = false;
    std::string key;
    Location key_place;
    std::unordered_set<std::string> keys;
  };

  YamlNode NewNode(const YAML::Mark& mark,
                   YamlNode::Kind kind,
                   YAML::anchor_t anchor,
                   const std::string& tag) {
    const Location where = PlaceIn(*file_, mark);
    if (anchor != 0) Refuse(where, "anchors are not supported", "write the value out");
    if (!tag.empty() && tag != "?" && tag != "!") {
      Refuse(where, "the tag " + Quoted(tag) + " is not supported", "leave it out");
    }
    if (++nodes_ > kMostNodes) Refuse(where, "more than 500000 values", "split the file");
    YamlNode node;
    node.kind_ = kind;
    node.line_ = where.line;
    node.column_ = where.column;
    node.file_ = file_;
    return node;
  }
  void Open(YamlNode node) {
    if (levels_.size() >= kDeepest) {
      Refuse(node.where(), "nested deeper than 64 levels", "flatten it");
    }
    if (WantsKey()) Refuse(node.where(), "a key must be text", "name it");
    levels_.push_back({std::move(node), false, "", {}, {}});
  }
  void Close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    Add(std::move(node));
  }
  bool WantsKey() const {
    return !levels_.empty() && levels_.back().node.IsMap() && !levels_.back().has_key;
  }
  void Add(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.IsList()) {
      level.node.items_.push_back(std::move(node));
    } else if (level.has_key) {
      level.node.entries_.push_back({std::move(level.key), level.key_place, std::move(node)});
      level.has_key = false;
    } else {
      if (!node.IsScalar()) Refuse(node.where(), "a key must be text", "name it");
      level.key = node.scalar_;
      level.key_place = node.where();
      level.has_key = true;
      if (!level.keys.insert(level.key).second && problems_.size() < kMostProblems) {
        problems_.push_back({level.key_place, Path(), "given twice", "keep one of them"});
      }
    }
  }
  // The key path of what is being read.
  std::string Path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.node.IsList()) {
        path += "[" + std::to_string(level.node.items_.size()) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    return path;
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::vector<Level> levels_;
  std::vector<Problem> problems_;
  YamlNode root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  YAML::Mark last_quoted_ = YAML::Mark::null_mark();
};

YamlNode ParseYaml(std::string_view text, const std::string& file) {
  if (text.size() > kLargestText) Refuse({file, 0, 0}, "larger than 16 MiB", "split it");
  CheckText(text, file);
  YamlBuilder builder(text, file);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const std::size_t at = OffsetOf(text, error.mark);
    const std::string_view line = text.substr(text.substr(0, at).rfind('\n') + 1);
    const bool tab = line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos;
    Refuse(PlaceIn(file, error.mark),
           "not valid YAML: " + Printable(error.msg),
           tab ? "indent with spaces, not with tabs" : "");
  }
  return builder.Finish();
}

}  // namespace roofcast
