// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Command R and its kin. Not in every file, and then as in the classes of transformers: embeddings
// are tied, attention_bias and use_qk_norm are false, a null num_key_value_heads is one KV head a
// query head; in Command R7B and A (cohere2) each fourth layer sees everything. Attention and
// feed-forward run side by side from one norm, which has no bias.
namespace roofcast {
namespace {

Layer ReadLayer(ConfigReader& text, const Llm& llm) {
  Layer layer;
  layer.attention =
      ReadGroupedAttention(text, llm, HeadDimRule::kDerived, KvHeadsRule::kNullMeansAll);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.norms = 1;
  layer.parallel = true;
  if (!text.Flag("use_parallel_block", true)) {
    text.Complain("use_parallel_block", "only true is understood", "");
  }
  if (text.Flag("use_gated_activation", true)) return layer;
  text.Complain("use_gated_activation", "only true is understood", "");
  return layer;
}

}  // namespace

void ReadCohere(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  Layer layer = ReadLayer(text, llm);
  if (text.Flag("use_qk_norm", false)) layer.attention.query_key_norm = QueryKeyNorm::kWhole;
  text.Ignore({"model_max_length"});
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadCohere2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  const Layer common = ReadLayer(text, llm);
  if (text.Flag("use_qk_norm", false)) {
    text.Complain("use_qk_norm", "only false is understood", "");
  }
  const std::int64_t window = text.Size("sliding_window");
  const std::int64_t pattern =
      text.OptionalSize({"sliding_window_pattern", "_sliding_window_pattern"}).value_or(4);
  const auto kinds =
      ReadLayerTypes(text, layers, true, [=](std::int64_t i) { return (i + 1) % pattern != 0; });
  // The pattern once more, in the words of another framework.
  text.Ignore({"layer_switch", "order_of_interleaved_layers", "model_max_length"});
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer = common;
    layer.attention = WithKind(common.attention, kinds[static_cast<std::size_t>(i)], window);
    return layer;
  });
}

}  // namespace roofcast
