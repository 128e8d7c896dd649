// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/patterns.h"

// Not in every file, and then as in the classes of transformers: tie_word_embeddings is false.
// MiniMax-Text-01 and M1 say their kinds of layers in attn_type_list (0 lightning, 1 softmax), the
// class of transformers in layer_types. M2 announces MTP modules (use_mtp) that its checkpoints
// don't have, and a shared expert of width 0; its routers are stored in fp32.
namespace roofcast {
namespace {

// A factor on a residual, or a choice that the tensors don't show.
void IgnoreScalings(ConfigReader& text) {
  text.Ignore({"block_size",
               "full_attn_alpha_factor",
               "full_attn_beta_factor",
               "layernorm_full_attention_alpha",
               "layernorm_full_attention_beta",
               "layernorm_linear_attention_alpha",
               "layernorm_linear_attention_beta",
               "layernorm_mlp_alpha",
               "layernorm_mlp_beta",
               "linear_attn_alpha_factor",
               "linear_attn_beta_factor",
               "mlp_alpha_factor",
               "mlp_beta_factor",
               "postnorm",
               "rotary_dim",
               "shared_moe_mode"});
}

FfnLayer ReadMoe(ConfigReader& text) {
  return MoeFfn(text,
                text.Size("intermediate_size"),
                text.Size({"num_local_experts", "num_experts"}),
                text.Size("num_experts_per_tok"));
}

std::vector<char> ReadKinds(ConfigReader& text, std::int64_t layers) {
  if (!text.Given("attn_type_list") && text.Given("layer_types")) {
    return ReadPattern(
        text, "layer_types", layers, {{"full_attention", 'f'}, {"linear_attention", 'l'}});
  }
  return ReadPattern(text, "attn_type_list", layers, {{"1", 'f'}, {"0", 'l'}});
}

// As many heads, as wide, as the softmax layers have.
RecurrentLayer Lightning(const AttentionLayer& attention) {
  RecurrentLayer lightning;
  lightning.kind = RecurrentKind::kLightning;
  lightning.heads = attention.heads;
  lightning.key_heads = attention.heads;
  lightning.head_dim = attention.head_dim;
  lightning.state_dim = attention.head_dim;
  return lightning;
}

}  // namespace

void ReadMinimax(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  const FfnLayer moe = ReadMoe(text);
  const std::vector<char> kinds = ReadKinds(text, layers);
  IgnoreScalings(text);
  if (attention.heads > kLargestRecurrent || attention.head_dim > kLargestRecurrent) {
    text.Complain("head_dim", "num_attention_heads or head_dim is more than 100000", "");
  }
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.ffn = moe;
    if (kinds[static_cast<std::size_t>(i)] == 'f') {
      layer.attention = attention;
    } else {
      layer.attention.kind = AttentionKind::kNone;
      layer.recurrent = Lightning(attention);
    }
    return layer;
  });
}

void ReadMinimaxM2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  // The class of transformers norms always; older files say so.
  if (text.Flag("use_qk_norm", true)) layer.attention.query_key_norm = QueryKeyNorm::kWhole;
  if (const auto norm = text.OptionalText({"qk_norm_type"});
      norm.value_or("per_layer") != "per_layer") {
    text.Complain("qk_norm_type", "'" + *norm + "' is not understood", "known: per_layer");
  }
  layer.ffn = ReadMoe(text);
  layer.ffn.router_bias = text.Flag("use_routing_bias", true);
  llm.router_dtype = DType::kFp32;
  if (text.Given("attn_type_list")) ReadPattern(text, "attn_type_list", layers, {{"1", 'f'}});
  IgnoreScalings(text);
  text.Ignore({"mlp_intermediate_size", "mtp_transformer_layers", "num_mtp_modules", "use_mtp"});
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
