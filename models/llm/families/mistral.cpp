// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: tie_word_embeddings is false;
// head_dim is hidden_size / num_attention_heads; Mixtral has no window. Mistral must say
// sliding_window, a number or null: its class takes 4096 for a missing one, which its later models
// don't have.
namespace roofcast {
namespace {

AttentionLayer ReadAttention(ConfigReader& text, const Llm& llm, std::int64_t layers) {
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  const auto window = text.OptionalSize({"sliding_window"});
  // A window holds for all layers. A list may say so too; these classes read none.
  const auto kinds =
      ReadLayerTypes(text, layers, window.has_value(), [](std::int64_t) { return true; });
  for (const AttentionKind kind : kinds) {
    if (kind != kinds.front()) {
      text.Complain("layer_types", "mixes kinds of attention, which this model_type doesn't", "");
      break;
    }
  }
  return WithKind(
      attention, kinds.empty() ? AttentionKind::kFull : kinds.front(), window.value_or(0));
}

}  // namespace

void ReadMistral(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  if (text.Find("sliding_window") == nullptr) {
    text.Missing("sliding_window", "add it: null if every token sees the whole prefix");
  }
  Layer layer;
  layer.attention = ReadAttention(text, llm, layers);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

void ReadMixtral(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadAttention(text, llm, layers);
  layer.ffn = MoeFfn(text,
                     text.Size("intermediate_size"),
                     text.Size({"num_local_experts", "num_experts"}),
                     text.Size("num_experts_per_tok"));
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
