// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Pythia, GPT-NeoX. Not in every file, and then as in GPTNeoXConfig of transformers: embeddings are
// not tied, attention_bias and use_parallel_residual are true. Attention and feed-forward have a
// norm each, also when they run side by side. Heads are never grouped.
namespace roofcast {

void ReadGptNeox(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  llm.final_norm_bias = true;
  Layer layer;
  const std::int64_t heads = text.Size("num_attention_heads");
  layer.attention = EvenAttention(text, llm, heads, heads);
  layer.attention.qkv_bias = text.Flag("attention_bias", true);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = PlainFfn(text.Size("intermediate_size"), true);
  layer.norm_bias = true;
  layer.parallel = text.Flag("use_parallel_residual", true);
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
