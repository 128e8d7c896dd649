// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"

// ERNIE 4.5 with experts. Not in every file, and then as in Ernie4_5_MoeConfig of transformers:
// tie_word_embeddings is true, use_bias false, moe_layer_interval 1, and moe_layer_end_index the
// last layer; head_dim is hidden_size / num_attention_heads. Every router has a correction of each
// expert; checkpoints for transformers have no MTP module.
namespace roofcast {

void ReadErnieMoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  const bool bias = text.Flag("use_bias", false);
  if (bias) text.Complain("use_bias", "only false is understood", "");
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::int64_t width = text.Size("moe_intermediate_size");
  FfnLayer moe = MoeFfn(text,
                        width,
                        text.Size({"moe_num_experts", "num_experts"}),
                        text.Size({"moe_k", "num_experts_per_tok"}));
  if (text.Find("moe_num_shared_experts") == nullptr) {
    text.Missing("moe_num_shared_experts", "add it: 0 if no expert is shared");
  }
  moe.shared_width = text.OptionalCount("moe_num_shared_experts").value_or(0) * width;
  moe.router_bias = true;
  if (text.Find("moe_layer_start_index") == nullptr) text.Missing("moe_layer_start_index");
  const std::int64_t first = text.OptionalCount("moe_layer_start_index").value_or(0);
  // -1 stands for the last layer, as an absent key does.
  const ConfigNode* end = text.Find("moe_layer_end_index");
  const bool to_the_end = end == nullptr || end->text == "-1";
  const std::int64_t last =
      to_the_end ? layers - 1 : text.OptionalCount("moe_layer_end_index").value_or(layers - 1);
  const std::int64_t interval = text.OptionalSize({"moe_layer_interval"}).value_or(1);
  text.Ignore({"moe_capacity", "moe_gate", "moe_norm_min", "moe_use_aux_free"});
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = attention;
    layer.ffn = (i + 1) % interval == 0 && i >= first && i <= last ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
