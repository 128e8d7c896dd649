// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// OLMoE: experts in each layer, and a norm over all queries and all keys. Not in every file, and
// then as in OlmoeConfig of transformers: tie_word_embeddings and attention_bias are false,
// head_dim is hidden_size / num_attention_heads.
namespace roofcast {

void ReadOlmoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.attention.query_key_norm = QueryKeyNorm::kWhole;
  layer.ffn = MoeFfn(text,
                     text.Size("intermediate_size"),
                     text.Size({"num_experts", "num_local_experts"}),
                     text.Size("num_experts_per_tok"));
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
