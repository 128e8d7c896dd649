// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/llm/quantisation/name_pattern.h"
#include "models/llm/tensors.h"

namespace roofcast::internal {

// A module, or a pattern of modules, as `ignore`, `targets` and their like name them:
//   "re:..."                 a regular expression that fits from the start of a module's name
//   with '*', '?' or '['     a glob that fits the whole name, or that of a module around it
//   any other text           whole words between dots, anywhere in the name: "lm_head",
//                            "self_attn", "model.layers.3.mlp"
class ModulePattern {
 public:
  // Nothing for a regular expression that holds what NamePattern doesn't read.
  static std::optional<ModulePattern> Parse(const std::string& text);

  const std::string& text() const { return text_; }
  bool IsPlain() const { return !pattern_; }
  // Whether a layer's number can make a difference; the only layer that it fits, if there is one.
  bool DependsOnLayer() const { return depends_on_layer_; }
  std::optional<std::int64_t> OnlyLayer() const { return layer_; }

  enum class Match : unsigned char { kNone, kAll, kSomeExperts };
  // Of the matrices of a tensor in one layer.
  Match Matches(std::int64_t layer, const Tensor& tensor) const;
  // Of a module outside the layers ("lm_head").
  bool Matches(std::string_view module) const;
  // Names layers from `layers` on alone, where MTP modules stand.
  bool IsBeyond(std::int64_t layers) const;

 private:
  Match MatchesNames(std::int64_t layer, std::string_view name, std::int64_t experts) const;

  std::string text_;
  std::optional<NamePattern> pattern_;  // else plain words
  std::optional<std::int64_t> layer_;   // plain words, globs: the layer's number
  std::string words_;                   // plain words: what stands after it, or all
  bool depends_on_layer_ = false;
};

}  // namespace roofcast::internal
