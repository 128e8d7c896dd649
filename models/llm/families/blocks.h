// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

// What families have in common. A family says which of these it is made of, and every default that
// stands in no file.
namespace roofcast {

constexpr std::int64_t kMostLayers = 10'000;  // 100 times the deepest published model

std::int64_t ReadLayerCount(ConfigReader& text);
// hidden_size, vocab_size and tie_word_embeddings. Returns ReadLayerCount.
std::int64_t ReadBackbone(ConfigReader& text, Llm& llm, bool tied_when_absent);

enum class HeadDimRule : std::uint8_t {
  kGiven,    // the file must say head_dim
  kDerived,  // hidden_size / num_attention_heads when the file says none, or null
};
// num_attention_heads, num_key_value_heads and head_dim. There is no default for the KV heads:
// transformers takes a missing key for one KV head a query head, which turns a misspelt key of a
// grouped model into a cache several times too large, without a word.
AttentionLayer ReadGroupedAttention(ConfigReader& text, const Llm& llm, HeadDimRule rule);
// Complains unless each KV head serves as many query heads.
void CheckGroups(ConfigReader& text, const AttentionLayer& attention);

// The attention kind of each layer: `layer_types` if given, else what `slides` says of a layer's
// index. `may_slide`: false when the rest of the config has no window.
std::vector<AttentionKind> ReadLayerTypes(ConfigReader& text,
                                          std::int64_t layers,
                                          bool may_slide,
                                          const std::function<bool(std::int64_t)>& slides);
// The layer's attention with the kind, and the window if it slides.
AttentionLayer WithKind(AttentionLayer attention, AttentionKind kind, std::int64_t window);

// A gated feed-forward layer of `width`, as in every family so far.
FfnLayer DenseFfn(std::int64_t width);
// `experts` gated feed-forward layers of `width`. Complains when more are chosen than there are.
FfnLayer MoeFfn(ConfigReader& text,
                std::int64_t width,
                std::int64_t experts,
                std::int64_t experts_per_token);

// False when the layers make a model too large for exact counts in 64 bits.
bool IsCountable(const Llm& llm);

// Appends the layers. False, and nothing appended, when the config has problems or would make a
// model too large for exact counts.
bool AppendLayers(ConfigReader& text,
                  Llm& llm,
                  std::int64_t layers,
                  const std::function<Layer(std::int64_t)>& layer_at);

}  // namespace roofcast
