// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in StableLmConfig of transformers: embeddings are not tied,
// use_qkv_bias, qk_layernorm and use_parallel_residual are false. Norms have biases, but those of
// queries and keys, one for each head. Side by side, attention and feed-forward share one norm.
namespace roofcast {

void ReadStablelm(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  llm.final_norm_bias = true;
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("use_qkv_bias", false);
  if (text.Flag("qk_layernorm", false)) layer.attention.query_key_norm = QueryKeyNorm::kWhole;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.norm_bias = true;
  layer.parallel = text.Flag("use_parallel_residual", false);
  layer.norms = layer.parallel ? 1 : 2;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
