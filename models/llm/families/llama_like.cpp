// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Models of the Llama architecture with a difference or two. Not in every file, and then as in the
// classes of transformers: SmolLM3 and ERNIE 4.5 tie embeddings, the others don't; biases of
// queries, keys and values are there in Seed-OSS, of the rest nowhere (attention_bias,
// attention_out_bias, mlp_bias, use_bias are false). SmolLM3 rotates some layers only, which
// changes no tensor. Hunyuan norms queries and keys. Ministral is a Mistral whose layers may differ
// in what they see (layer_types; without it all slide if there is a window, which must be said, as
// in mistral.cpp). Sizes of heads must be given where the class has a number for them.
namespace roofcast {

void ReadMinistral(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  const FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  if (text.Find("sliding_window") == nullptr) {
    text.Missing("sliding_window", "add it: null if every token sees the whole prefix");
  }
  const auto window = text.OptionalSize({"sliding_window"});
  const auto kinds =
      ReadLayerTypes(text, layers, window.has_value(), [](std::int64_t) { return true; });
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window.value_or(0));
    layer.ffn = ffn;
    return layer;
  });
}

void ReadSmollm3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.ffn.bias = text.Flag("mlp_bias", false);
  if (text.Flag("use_sliding_window", false)) {
    text.Complain("use_sliding_window", "only false is understood", "");
  }
  text.Ignore({"sliding_window", "max_window_layers", "no_rope_layers", "no_rope_layer_interval"});
  ReadLayerTypes(text, layers, false, [](std::int64_t) { return false; });
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadSeedOss(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  layer.attention.qkv_bias = text.Flag("attention_bias", true);
  layer.attention.output_bias = text.Flag("attention_out_bias", false);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.ffn.bias = text.Flag("mlp_bias", false);
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadErnie45(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  const bool bias = text.Flag("use_bias", false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.ffn.bias = bias;
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadHunyuanDense(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.attention.query_key_norm = QueryKeyNorm::kHead;
  if (!text.Flag("use_qk_norm", true)) {
    text.Complain("use_qk_norm", "only true is understood", "");
  }
  if (text.Flag("use_cla", false)) text.Complain("use_cla", "only false is understood", "");
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  text.Ignore({"attention_head_dim", "cla_share_factor"});
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
