// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation/module_pattern.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "models/llm/quantisation/module_names.h"

namespace roofcast::internal {
namespace {

constexpr std::array<std::string_view, 2> kLayerWords = {"layers.", "h."};

// `words` between dots somewhere in `name`.
bool HasWords(std::string_view name, std::string_view words) {
  for (std::size_t at = name.find(words); at != std::string_view::npos;
       at = name.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    const bool starts = at == 0 || name[at - 1] == '.';
    if (starts && (end == name.size() || name[end] == '.')) return true;
  }
  return false;
}

// N of "...layers.N" when it is followed by a dot, a sign of a pattern or nothing; `end` is past
// it.
std::optional<std::int64_t> NumberAfterLayers(const std::string& text, std::size_t& end) {
  for (const std::string_view word : kLayerWords) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos || (at > 0 && text[at - 1] != '.')) continue;
    const std::size_t number = at + word.size();
    end = std::min(text.find_first_not_of("0123456789", number), text.size());
    if (end > number + 9) continue;
    if (const auto layer = ParseInteger(std::string_view(text).substr(number, end - number))) {
      return layer;
    }
  }
  end = 0;
  return std::nullopt;
}

std::string WithExpert(std::string_view name, std::int64_t expert) {
  const std::size_t at = name.find("{}");
  if (at == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, at)) + std::to_string(expert) +
         std::string(name.substr(at + 2));
}

}  // namespace

std::optional<ModulePattern> ModulePattern::Parse(const std::string& text) {
  ModulePattern result;
  result.text_ = text;
  const bool regular = text.starts_with("re:");
  std::size_t after_layer = 0;
  if (!regular) result.layer_ = NumberAfterLayers(text, after_layer);
  if (regular || text.find_first_of("*?[") != std::string::npos) {
    const std::string_view pattern = std::string_view(text).substr(regular ? 3 : 0);
    result.pattern_ = regular ? NamePattern::Parse(pattern) : NamePattern::ParseGlob(pattern);
    if (!result.pattern_) return std::nullopt;
    // "model.layers.1*" fits 10 as well.
    if (after_layer >= text.size() || text[after_layer] != '.') result.layer_.reset();
    // Without a digit, a class or a count of signs all numbers fit alike.
    const std::string_view telling = regular ? "0123456789[{?" : "0123456789[?";
    result.depends_on_layer_ = pattern.find_first_of(telling) != std::string_view::npos ||
                               pattern.find("\\d") != std::string_view::npos ||
                               pattern.find("..") != std::string_view::npos;
    return result;
  }
  result.depends_on_layer_ = result.layer_.has_value();
  result.words_ = text;
  if (result.words_.ends_with(".weight")) result.words_.resize(result.words_.size() - 7);
  if (result.words_.empty()) return std::nullopt;
  if (result.layer_) {
    const bool more = after_layer < result.words_.size();
    result.words_ = more ? result.words_.substr(after_layer + 1) : "";
  }
  return result;
}

ModulePattern::Match ModulePattern::MatchesNames(std::int64_t layer,
                                                 std::string_view name,
                                                 std::int64_t experts) const {
  const bool numbered = name.find("{}") != std::string_view::npos;
  const auto matches = [&](std::int64_t expert) {
    const std::string module = WithExpert(name, expert);
    if (!pattern_) return words_.empty() || HasWords(module, words_);
    for (const std::string_view prefix : LayerPrefixes(text_)) {
      std::string whole = std::string(prefix) + std::to_string(layer) + "." + module;
      if (pattern_->Matches(whole)) return true;
      if (text_.starts_with("re:")) continue;
      // A glob may name a module around it.
      for (std::size_t dot = whole.rfind('.'); dot != std::string::npos && dot > prefix.size();
           dot = whole.rfind('.')) {
        whole.resize(dot);
        if (pattern_->Matches(whole)) return true;
      }
    }
    return false;
  };
  if (!numbered || experts <= 0) return matches(0) ? Match::kAll : Match::kNone;
  // Plain words that name an expert's number leave out that one.
  const bool first = matches(0);
  const bool last = matches(experts - 1);
  if (first && last) return Match::kAll;
  if (first || last) return Match::kSomeExperts;
  if (!pattern_ && words_.find("experts.") != std::string::npos) {
    const std::string_view after = std::string_view(words_).substr(words_.find("experts.") + 8);
    if (!after.empty() && after[0] >= '0' && after[0] <= '9') return Match::kSomeExperts;
  }
  return Match::kNone;
}

ModulePattern::Match ModulePattern::Matches(std::int64_t layer, const Tensor& tensor) const {
  if (layer_ && *layer_ != layer) return Match::kNone;
  Match found = Match::kNone;
  for (const std::string_view name : ModuleNamesOf(tensor)) {
    const Match match = MatchesNames(layer, name, tensor.count);
    if (match == Match::kAll) return match;
    if (match == Match::kSomeExperts) found = match;
  }
  return found;
}

bool ModulePattern::Matches(std::string_view module) const {
  return pattern_ ? pattern_->Matches(module) : !layer_ && HasWords(module, words_);
}

bool ModulePattern::IsBeyond(std::int64_t layers) const {
  return layer_ && *layer_ >= layers;
}

}  // namespace roofcast::internal
