// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: tie_word_embeddings and
// attention_bias are false, moe_layer_freq is 1, a missing or null q_lora_rank of V2 means that
// queries are not compressed, and without num_nextn_predict_layers there is no MTP module.
namespace roofcast {
namespace {

// Multi-head latent attention keeps one latent a token, whatever num_key_value_heads says, and
// head_dim is what some versions of transformers call the rotated part.
AttentionLayer ReadLatentAttention(ConfigReader& text, bool may_skip_query_rank) {
  text.Ignore({"num_key_value_heads", "head_dim", "qk_head_dim"});
  AttentionLayer attention;
  attention.kind = AttentionKind::kLatent;
  attention.heads = text.Size("num_attention_heads");
  attention.kv_heads = attention.heads;
  attention.rotary_dim = text.Size("qk_rope_head_dim");
  attention.head_dim = text.Size("qk_nope_head_dim") + attention.rotary_dim;
  attention.value_dim = text.Size("v_head_dim");
  attention.latent_rank = text.Size("kv_lora_rank");
  if (!may_skip_query_rank && text.Find("q_lora_rank") == nullptr) {
    text.Missing("q_lora_rank", "add it: null if queries are not compressed");
  }
  attention.query_rank = text.OptionalSize({"q_lora_rank"}).value_or(0);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  return attention;
}

struct Options {
  bool may_skip_query_rank = false;
  bool router_bias = false;
  std::int64_t mtp_modules = 0;
};

void ReadDeepseek(ConfigReader& text, Llm& llm, const Options& options) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const AttentionLayer attention = ReadLatentAttention(text, options.may_skip_query_rank);
  const std::int64_t expert_width = text.Size("moe_intermediate_size");
  FfnLayer moe =
      MoeFfn(text, expert_width, text.Size("n_routed_experts"), text.Size("num_experts_per_tok"));
  if (text.Find("n_shared_experts") == nullptr) {
    text.Missing("n_shared_experts", "add it: 0 or null if no expert is shared");
  }
  moe.shared_width = text.OptionalCount("n_shared_experts").value_or(0) * expert_width;
  moe.router_bias = options.router_bias;
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  if (!text.Given("first_k_dense_replace")) text.Missing("first_k_dense_replace");
  const std::int64_t first_moe = text.OptionalCount("first_k_dense_replace").value_or(0);
  const std::int64_t every = text.OptionalSize({"moe_layer_freq"}).value_or(1);

  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = attention;
    layer.ffn = i >= first_moe && i % every == 0 ? moe : dense;
    return layer;
  });
  if (built && options.mtp_modules > 0) AddMultiTokenPrediction(llm, options.mtp_modules);
}

}  // namespace

void ReadDeepseekV2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadDeepseek(text, llm, {.may_skip_query_rank = true});
}

void ReadDeepseekV3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  Options options;
  // "noaux_tc" balances the experts by a learned correction of each, the others by a loss.
  const std::string method = text.OptionalText({"topk_method"}).value_or("noaux_tc");
  options.router_bias = method == "noaux_tc";
  if (!options.router_bias && method != "greedy" && method != "group_limited_greedy") {
    text.Complain("topk_method",
                  Quoted(method) + " is not understood",
                  "use noaux_tc, greedy or group_limited_greedy");
  }
  options.mtp_modules = text.OptionalCount("num_nextn_predict_layers").value_or(0);
  if (options.mtp_modules > 100) text.Complain("num_nextn_predict_layers", "more than 100", "");
  ReadDeepseek(text, llm, options);
}

}  // namespace roofcast
