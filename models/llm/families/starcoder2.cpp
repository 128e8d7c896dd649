// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in Starcoder2Config of transformers: embeddings are tied, use_bias
// is true, no window. No key mentions that norms have a bias and that the feed-forward part is not
// gated.
namespace roofcast {

void ReadStarcoder2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  llm.final_norm_bias = true;
  const bool bias = text.Flag("use_bias", true);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  const auto window = text.OptionalSize({"sliding_window"});
  if (window) layer.attention = WithKind(layer.attention, AttentionKind::kSliding, *window);
  layer.ffn = PlainFfn(text.Size("intermediate_size"), bias);
  layer.norm_bias = true;
  for (const std::string_view key : {"mlp_type", "norm_type"}) {  // written by its first version
    const std::string type = text.OptionalText({key}).value_or("");
    if (type.empty() || type == "default" || type == "layer_norm") continue;
    text.Complain(key, "only default and layer_norm are understood", "");
  }
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
