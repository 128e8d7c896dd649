// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in GptOssConfig of transformers: tie_word_embeddings is false,
// attention_bias is true, and without layer_types the layers alternate, a sliding one first. No
// key mentions the sinks (one logit a head) and the biases of router and experts.
namespace roofcast {

void ReadGptOss(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  attention.qkv_bias = text.Flag("attention_bias", true);
  attention.output_bias = attention.qkv_bias;
  attention.sinks = true;
  FfnLayer ffn = MoeFfn(text,
                        text.Size("intermediate_size"),
                        text.Size({"num_local_experts", "num_experts"}),
                        text.Size({"num_experts_per_tok", "experts_per_token"}));
  ffn.bias = true;
  ffn.router_bias = true;
  const std::int64_t window = text.Size("sliding_window");
  const auto kinds = ReadLayerTypes(text, layers, true, [](std::int64_t i) { return i % 2 == 0; });
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window);
    layer.ffn = ffn;
    return layer;
  });
}

}  // namespace roofcast
