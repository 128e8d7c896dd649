// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: embeddings are not tied,
// attention_bias is false, a null num_key_value_heads is one KV head a query head, and without
// layer_types each fourth layer of OLMo 3 sees everything. The norms of OLMo 1 have no weights;
// OLMo 2 and 3 norm what comes out of attention and feed-forward, and all queries and all keys.
namespace roofcast {
namespace {

AttentionLayer ReadAttention(ConfigReader& text, const Llm& llm) {
  AttentionLayer attention =
      ReadGroupedAttention(text, llm, HeadDimRule::kDerived, KvHeadsRule::kNullMeansAll);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  return attention;
}

}  // namespace

void ReadOlmo(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  llm.final_norm = false;
  Layer layer;
  layer.attention = ReadAttention(text, llm);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.norms = 0;
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadOlmo2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadAttention(text, llm);
  layer.attention.query_key_norm = QueryKeyNorm::kWhole;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadOlmo3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadAttention(text, llm);
  attention.query_key_norm = QueryKeyNorm::kWhole;
  const FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  const std::int64_t window = text.Size("sliding_window");
  const auto kinds =
      ReadLayerTypes(text, layers, true, [](std::int64_t i) { return (i + 1) % 4 != 0; });
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window);
    layer.ffn = ffn;
    return layer;
  });
}

}  // namespace roofcast
