// SPDX-License-Identifier: Apache-2.0
#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"

// Ling (BailingMoE), first and second version. Not in every file, and then as in their classes:
// tie_word_embeddings, use_bias and use_qkv_bias are false, a null head_dim is hidden_size /
// num_attention_heads; the second norms queries and keys and corrects each expert only where the
// file says so.
namespace roofcast {

void ReadBailingMoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  if (text.Flag("use_bias", false)) text.Complain("use_bias", "only false is understood", "");
  attention.qkv_bias = text.Flag("use_qkv_bias", false);
  if (text.Flag("use_qk_norm", false)) attention.query_key_norm = QueryKeyNorm::kHead;
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::int64_t width = text.Size("moe_intermediate_size");
  FfnLayer moe = MoeFfn(text, width, text.Size("num_experts"), text.Size("num_experts_per_tok"));
  if (text.Find("num_shared_experts") == nullptr) {
    text.Missing("num_shared_experts", "add it: 0 if no expert is shared");
  }
  const std::int64_t shared =
      text.OptionalSize({"moe_shared_expert_intermediate_size"}).value_or(width);
  moe.shared_width = text.OptionalCount("num_shared_experts").value_or(0) * shared;
  moe.router_bias = text.Flag("moe_router_enable_expert_bias", false);
  const std::vector<bool> has_experts = ReadMoeLayers(text, layers);
  const std::int64_t modules = ReadMtpModules(text);
  if (modules > 0) text.Complain("num_nextn_predict_layers", "only 0 is understood", "");
  text.Ignore({"max_window_layers", "norm_head", "norm_softmax", "rotary_dim", "router_dtype"});
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = attention;
    layer.ffn = has_experts[static_cast<std::size_t>(i)] ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
