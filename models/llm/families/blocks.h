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

std::int64_t ReadLayerCount(ConfigReader& text, ConfigReader::Keys keys = {"num_hidden_layers"});
// hidden_size, vocab_size and tie_word_embeddings. Returns ReadLayerCount.
std::int64_t ReadBackbone(ConfigReader& text, Llm& llm, bool tied_when_absent);

enum class HeadDimRule : std::uint8_t {
  kGiven,    // the file must say head_dim
  kDerived,  // hidden_size / num_attention_heads when the file says none, or null
};
// What a null for the KV heads means. There is no default for a missing key: transformers takes it
// for one KV head a query head, which turns a misspelt key of a grouped model into a cache several
// times too large, without a word.
enum class KvHeadsRule : std::uint8_t {
  kGiven,         // the file must say a number
  kNullMeansAll,  // null: as many as query heads
};
// num_attention_heads, num_key_value_heads and head_dim.
AttentionLayer ReadGroupedAttention(ConfigReader& text,
                                    const Llm& llm,
                                    HeadDimRule rule,
                                    KvHeadsRule kv_rule = KvHeadsRule::kGiven);
// What complaints name.
struct HeadKeys {
  std::string_view heads = "num_attention_heads";
  std::string_view kv_heads = "num_key_value_heads";
};
// Of families that group no heads, or say so in keys of their own. head_dim is hidden / heads.
AttentionLayer EvenAttention(ConfigReader& text,
                             const Llm& llm,
                             std::int64_t heads,
                             std::int64_t kv_heads,
                             const HeadKeys& keys = {});
// Complains unless each KV head serves as many query heads.
void CheckGroups(ConfigReader& text, const AttentionLayer& attention, const HeadKeys& keys = {});

// The attention kind of each layer: `layer_types` if given, else what `slides` says of a layer's
// index. `may_slide`: false when the rest of the config has no window.
std::vector<AttentionKind> ReadLayerTypes(ConfigReader& text,
                                          std::int64_t layers,
                                          bool may_slide,
                                          const std::function<bool(std::int64_t)>& slides);
// The layer's attention with the kind, and the window if it slides.
AttentionLayer WithKind(AttentionLayer attention, AttentionKind kind, std::int64_t window);

// A gated feed-forward layer of `width`, and one with a plain activation.
FfnLayer DenseFfn(std::int64_t width);
FfnLayer PlainFfn(std::int64_t width, bool bias);
// `experts` gated feed-forward layers of `width`. Complains when more are chosen than there are.
FfnLayer MoeFfn(ConfigReader& text,
                std::int64_t width,
                std::int64_t experts,
                std::int64_t experts_per_token);

// An encoder: its tokens see each other both ways. A ...ForMaskedLM in architectures has the
// masked-LM head, whose matrix is the token table unless the file says otherwise; else none.
void ReadEncoderHead(ConfigReader& text, ConfigReader& top, Llm& llm);

// False when the layers make a model too large for exact counts in 64 bits.
bool IsCountable(const Llm& llm);

// Appends the layers. False, and nothing appended, when the config has problems or would make a
// model too large for exact counts.
bool AppendLayers(ConfigReader& text,
                  Llm& llm,
                  std::int64_t layers,
                  const std::function<Layer(std::int64_t)>& layer_at);
bool AppendEqualLayers(ConfigReader& text, Llm& llm, std::int64_t layers, const Layer& layer);

}  // namespace roofcast
