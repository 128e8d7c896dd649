// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Nemotron-4, Minitron. Not in every file, and then as in NemotronConfig of transformers:
// embeddings are not tied, attention_bias and mlp_bias are false, head_dim is hidden_size /
// num_attention_heads, a null num_key_value_heads is one KV head a query head. No key mentions that
// norms have a bias and that the feed-forward part is not gated.
namespace roofcast {

void ReadNemotron(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  llm.final_norm_bias = true;
  Layer layer;
  layer.attention =
      ReadGroupedAttention(text, llm, HeadDimRule::kDerived, KvHeadsRule::kNullMeansAll);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = PlainFfn(text.Size("intermediate_size"), text.Flag("mlp_bias", false));
  layer.norm_bias = true;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
