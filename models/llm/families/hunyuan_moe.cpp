// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Hunyuan-A13B: experts of intermediate_size and a shared one as wide. Not in every file, and then
// as in HunYuanMoEV1Config of transformers: tie_word_embeddings and attention_bias are false,
// queries and keys are normed, one expert is shared; head_dim is hidden_size /
// num_attention_heads. Three keys may be lists with one number a layer.
namespace roofcast {
namespace {

std::vector<std::int64_t> ReadEach(ConfigReader& text,
                                   std::string_view key,
                                   std::int64_t layers,
                                   std::int64_t when_absent) {
  const ConfigNode* node = text.Find(key);
  if (node == nullptr || !node->IsList()) {
    const std::int64_t one = text.OptionalCount(key).value_or(when_absent);
    return std::vector<std::int64_t>(static_cast<std::size_t>(layers), one);
  }
  std::vector<std::int64_t> each = text.Counts(key);
  if (static_cast<std::int64_t>(each.size()) != layers && text.ok()) {
    text.Complain(
        key,
        std::to_string(each.size()) + " entries for " + std::to_string(layers) + " layers",
        "give one entry a layer");
  }
  each.resize(static_cast<std::size_t>(layers), when_absent);
  return each;
}

// What the class of transformers doesn't build.
void RefuseOtherBuilds(ConfigReader& text) {
  for (const std::string_view key : {"use_cla", "use_mla", "add_classification_head"}) {
    if (text.Flag(key, false)) text.Complain(key, "only false is understood", "");
  }
  text.Ignore({"attention_head_dim",
               "cla_share_factor",
               "dense_list",
               "moe_drop_tokens",
               "moe_layer_num_skipped",
               "moe_random_routing_dropped_token",
               "norm_type",
               "num_media_embeds",
               "org_vocab_size",
               "use_mixed_mlp_moe"});
}

}  // namespace

void ReadHunyuanMoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  if (text.Flag("use_qk_norm", true)) attention.query_key_norm = QueryKeyNorm::kHead;
  const std::int64_t width = text.Size("intermediate_size");
  const std::int64_t experts = text.Size({"num_experts", "num_local_experts"});
  if (!text.Given("moe_topk")) text.Missing("moe_topk");
  const auto chosen = ReadEach(text, "moe_topk", layers, 1);
  const auto widths = ReadEach(text, "moe_intermediate_size", layers, width);
  const auto shared = ReadEach(text, "num_shared_expert", layers, 1);
  RefuseOtherBuilds(text);
  for (std::size_t i = 0; i < chosen.size() && text.ok(); ++i) {
    if (chosen[i] > 0 && chosen[i] <= experts && widths[i] > 0) continue;
    text.Complain("moe_topk", "layer " + std::to_string(i) + " chooses none or too many", "");
  }
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    Layer layer;
    layer.attention = attention;
    layer.ffn = DenseFfn(widths[at]);
    layer.ffn.experts = experts;
    layer.ffn.experts_per_token = chosen[at];
    layer.ffn.shared_width = shared[at] * width;
    return layer;
  });
}

}  // namespace roofcast
