// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: embeddings are not tied,
// qk_layernorm and attention_bias are false, and a null num_key_value_heads is one KV head a query
// head. Phi-1 to Phi-2 run attention and feed-forward side by side from one norm, with biases
// everywhere, the LM head included. Phi-3 and Phi-4 keep queries, keys and values in one tensor and
// gate and up in another, which changes no count. Their class reads no attention_bias.
namespace roofcast {

void ReadPhi(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  llm.final_norm_bias = true;
  llm.head_bias = true;
  Layer layer;
  layer.attention =
      ReadGroupedAttention(text, llm, HeadDimRule::kDerived, KvHeadsRule::kNullMeansAll);
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  layer.ffn = PlainFfn(text.Size("intermediate_size"), true);
  layer.norms = 1;
  layer.norm_bias = true;
  layer.parallel = true;
  if (text.Flag("qk_layernorm", false)) {
    text.Complain("qk_layernorm", "only false is understood", "");
  }
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadPhi3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention =
      ReadGroupedAttention(text, llm, HeadDimRule::kDerived, KvHeadsRule::kNullMeansAll);
  if (text.Flag("attention_bias", false)) {
    text.Complain("attention_bias", "only false is understood", "");
  }
  // A window holds for all layers; a missing one is none.
  const auto window = text.OptionalSize({"sliding_window"});
  if (window) layer.attention = WithKind(layer.attention, AttentionKind::kSliding, *window);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
