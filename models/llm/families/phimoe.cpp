// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Phi-3.5-MoE: LayerNorms with bias. Not in every file, and then as in PhimoeConfig of
// transformers: tie_word_embeddings, attention_bias and lm_head_bias are false, there is no window,
// head_dim is hidden_size / num_attention_heads.
namespace roofcast {

void ReadPhimoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  const auto window = text.OptionalSize({"sliding_window"});
  layer.attention = WithKind(
      attention, window ? AttentionKind::kSliding : AttentionKind::kFull, window.value_or(0));
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.ffn = MoeFfn(text,
                     text.Size("intermediate_size"),
                     text.Size({"num_local_experts", "num_experts"}),
                     text.Size("num_experts_per_tok"));
  layer.norm_bias = true;
  llm.final_norm_bias = true;
  llm.head_bias = text.Flag("lm_head_bias", false);
  text.Ignore({"input_jitter_noise", "original_max_position_embeddings"});
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
