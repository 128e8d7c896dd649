// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// ChatGLM 2 and 3 and GLM-4 as first published (chatglm: keys of Megatron), GLM-4 in transformers
// (glm), and GLM-4-0414 (glm4), which norms what comes out of attention and feed-forward too. Not
// in every file, and then as in the classes: embeddings are not tied; linear layers of chatglm have
// no bias, its norms are RMSNorms (rmsnorm) and the last one is there (post_layer_norm). glm and
// glm4 must say attention_bias, whose default changed between versions of transformers.
namespace roofcast {
namespace {

AttentionLayer ReadMegatronAttention(ConfigReader& text) {
  AttentionLayer attention;
  attention.heads = text.Size("num_attention_heads");
  attention.head_dim = text.Size("kv_channels");
  attention.value_dim = attention.head_dim;
  if (text.Find("multi_query_attention") == nullptr) {
    text.Missing("multi_query_attention", "add it: true if heads are grouped");
  }
  attention.kv_heads = text.Flag("multi_query_attention", true) ? text.Size("multi_query_group_num")
                                                                : attention.heads;
  text.Ignore({"multi_query_group_num"});
  CheckGroups(text, attention, {.kv_heads = "multi_query_group_num"});
  return attention;
}

void ReadGlmLayers(ConfigReader& text, Llm& llm, std::int64_t norms) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  if (text.Find("attention_bias") == nullptr) text.Missing("attention_bias");
  layer.attention.qkv_bias = text.Flag("attention_bias", false);  // the output has none
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.norms = norms;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace

void ReadChatglm(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size({"padded_vocab_size", "vocab_size"});
  llm.tied_embeddings = text.Flag("tie_word_embeddings", false);
  const auto length = text.OptionalSize({"seq_length"});
  if (llm.max_length == 0) llm.max_length = length.value_or(0);
  const std::int64_t layers = ReadLayerCount(text, {"num_layers", "num_hidden_layers"});
  const bool bias = text.Flag("add_bias_linear", false);
  Layer layer;
  layer.attention = ReadMegatronAttention(text);
  layer.attention.qkv_bias = text.Flag("add_qkv_bias", false) || bias;
  layer.attention.output_bias = bias;
  layer.ffn = DenseFfn(text.Size("ffn_hidden_size"));
  layer.ffn.bias = bias;
  layer.norm_bias = !text.Flag("rmsnorm", true);
  llm.final_norm_bias = layer.norm_bias;
  llm.final_norm = text.Flag("post_layer_norm", true);
  if (text.Given("pre_seq_len")) text.Complain("pre_seq_len", "only null is understood", "");
  // Ways of adding and scaling, and adapters that are off while pre_seq_len is null.
  text.Ignore({"apply_query_key_layer_scaling",
               "apply_residual_connection_post_layernorm",
               "bias_dropout_fusion",
               "interleaved_qkv",
               "original_rope",
               "prefix_projection"});
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadGlm(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadGlmLayers(text, llm, 2);
}

void ReadGlm4(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadGlmLayers(text, llm, 4);
}

}  // namespace roofcast
