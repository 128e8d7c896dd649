// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/latent.h"

#include <string>

#include "models/llm/families/blocks.h"
#include "models/llm/families/patterns.h"

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

void ReadIndexer(ConfigReader& text, std::int64_t layers, AttentionLayer& attention) {
  text.Ignore({"indexer_rope_interleave"});
  // Later models let layers use what the one before picked.
  if (text.Given("indexer_types")) ReadPattern(text, "indexer_types", layers, {{"full", 'f'}});
  if (text.Given("layer_types")) {
    ReadPattern(text,
                "layer_types",
                layers,
                {{"indexed_attention", 'i'}, {"deepseek_sparse_attention", 'i'}});
  }
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

std::vector<bool> ReadMoeLayers(ConfigReader& text, std::int64_t layers) {
  constexpr std::string_view kTypes = "mlp_layer_types";
  std::vector<bool> moe(static_cast<std::size_t>(layers));
  if (text.Given(kTypes)) {
    text.Ignore({"first_k_dense_replace", "moe_layer_freq"});
    const auto types = ReadPattern(text, kTypes, layers, {{"dense", 'd'}, {"sparse", 'e'}});
    for (std::size_t i = 0; i < moe.size(); ++i) moe[i] = types[i] == 'e';
    return moe;
  }
  if (!text.Given("first_k_dense_replace")) text.Missing("first_k_dense_replace");
  const std::int64_t first = text.OptionalCount("first_k_dense_replace").value_or(0);
  const std::int64_t every = text.OptionalSize({"moe_layer_freq"}).value_or(1);
  for (std::int64_t i = first; i < layers; ++i) {
    moe[static_cast<std::size_t>(i)] = i % every == 0;
  }
  return moe;
}

std::int64_t ReadMtpModules(ConfigReader& text) {
  constexpr std::string_view kKey = "num_nextn_predict_layers";
  constexpr std::string_view kNewer = "num_mtp_layers";
  constexpr std::int64_t kMost = 100;
  const auto older = text.OptionalCount(kKey);
  const auto newer = text.OptionalCount(kNewer);
  const std::int64_t modules = older.value_or(newer.value_or(0));
  if (newer && *newer != modules) {
    text.Complain(kNewer, "contradicts " + std::string(kKey), "keep one of them");
  }
  if (modules > kMost) text.Complain(older ? kKey : kNewer, "more than 100", "");
  return modules;
}

}  // namespace roofcast
