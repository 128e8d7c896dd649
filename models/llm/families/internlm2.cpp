// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Keeps queries, keys and values in one tensor. Not in every file, and then as in InternLM2Config:
// embeddings are not tied, bias is true.
namespace roofcast {

void ReadInternlm2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.attention.qkv_bias = text.Flag("bias", true);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
