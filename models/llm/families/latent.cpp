// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/latent.h"

#include "models/llm/families/blocks.h"

namespace roofcast {

AttentionLayer ReadLatentAttention(ConfigReader& text, QueryRankRule rule) {
  text.Ignore({"num_key_value_heads", "head_dim", "qk_head_dim"});
  AttentionLayer attention;
  attention.kind = AttentionKind::kLatent;
  attention.heads = text.Size("num_attention_heads");
  attention.kv_heads = attention.heads;
  attention.rotary_dim = text.Size("qk_rope_head_dim");
  attention.head_dim = text.Size("qk_nope_head_dim") + attention.rotary_dim;
  attention.value_dim = text.Size("v_head_dim");
  attention.latent_rank = text.Size("kv_lora_rank");
  if (rule == QueryRankRule::kSaid && text.Find("q_lora_rank") == nullptr) {
    text.Missing("q_lora_rank", "add it: null if queries are not compressed");
  }
  attention.query_rank = text.OptionalSize({"q_lora_rank"}).value_or(0);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  return attention;
}

void ReadIndexer(ConfigReader& text, AttentionLayer& attention) {
  text.Ignore({"indexer_rope_interleave"});
  attention.index_heads = text.Size("index_n_heads");
  attention.index_dim = text.Size("index_head_dim");
  attention.index_tokens = text.Size("index_topk");
}

FfnLayer ReadDeepseekMoe(ConfigReader& text) {
  const std::int64_t width = text.Size("moe_intermediate_size");
  FfnLayer moe =
      MoeFfn(text, width, text.Size("n_routed_experts"), text.Size("num_experts_per_tok"));
  if (text.Find("n_shared_experts") == nullptr) {
    text.Missing("n_shared_experts", "add it: 0 or null if no expert is shared");
  }
  moe.shared_width = text.OptionalCount("n_shared_experts").value_or(0) * width;
  return moe;
}

DenseFirst ReadDenseFirst(ConfigReader& text) {
  if (!text.Given("first_k_dense_replace")) text.Missing("first_k_dense_replace");
  return {text.OptionalCount("first_k_dense_replace").value_or(0),
          text.OptionalSize({"moe_layer_freq"}).value_or(1)};
}

std::int64_t ReadMtpModules(ConfigReader& text) {
  constexpr std::int64_t kMost = 100;
  const std::int64_t modules = text.OptionalCount("num_nextn_predict_layers").value_or(0);
  if (modules > kMost) text.Complain("num_nextn_predict_layers", "more than 100", "");
  return modules;
}

}  // namespace roofcast
