// SPDX-License-Identifier: Apache-2.0
#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in LlamaConfig of transformers: tie_word_embeddings,
// attention_bias and mlp_bias are false; head_dim is hidden_size / num_attention_heads.
namespace roofcast {

void ReadLlama(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.ffn.bias = text.Flag("mlp_bias", false);
  ReadLayerTypes(text, layers, false, [](std::int64_t) { return false; });
  const bool buffers = StoresRotaryBuffers(text, llm);
  if (AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; }) && buffers) {
    AddRotaryBuffers(llm);
  }
}

}  // namespace roofcast
