// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Falcon 1 and 2 (Falcon 3 is a Llama). Not in every file, and then as in FalconConfig of
// transformers: embeddings are tied, the feed-forward part is 4 hidden_size wide, parallel_attn is
// true, bias, alibi and new_decoder_architecture are false. Falcon-7B has one KV head
// (multi_query), the new architecture of 40B and 180B groups them (num_kv_heads) and norms the
// inputs of attention and feed-forward apart, unless num_ln_in_parallel_attn says 1 (Falcon 2).
namespace roofcast {
namespace {

std::int64_t ReadKvHeads(ConfigReader& text, std::int64_t heads, bool grouped) {
  if (grouped) return text.Size({"num_kv_heads", "n_head_kv"});
  // Files with multi_query repeat the query heads here, and the class doesn't look at them then.
  const auto said = text.OptionalSize({"num_kv_heads", "n_head_kv"});
  if (text.Find("multi_query") == nullptr) {
    text.Missing("multi_query", "add it: true if all query heads share one KV head");
  }
  if (!text.Flag("multi_query", true)) return said.value_or(heads);
  if (text.ok() && said.value_or(1) != 1 && *said != heads) {
    text.Complain("num_kv_heads",
                  "contradicts multi_query, which is one KV head without "
                  "new_decoder_architecture",
                  "add new_decoder_architecture if heads are grouped");
  }
  return 1;
}

std::int64_t ReadNorms(ConfigReader& text, bool parallel, bool grouped) {
  const auto said = text.OptionalSize({"num_ln_in_parallel_attn"});
  if (said.value_or(1) > 2) text.Complain("num_ln_in_parallel_attn", "more than 2", "");
  if (!parallel) return 2;
  return said.value_or(grouped ? 2 : 1);
}

}  // namespace

void ReadFalcon(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size({"hidden_size", "n_embed"});
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  llm.final_norm_bias = true;
  const std::int64_t layers = ReadLayerCount(text, {"num_hidden_layers", "n_layer"});
  const std::int64_t heads = text.Size({"num_attention_heads", "n_head"});
  const bool grouped = text.Flag("new_decoder_architecture", false);
  const bool bias = text.Flag("bias", false);
  text.Ignore({"multi_query"});  // the new architecture doesn't look at it

  Layer layer;
  layer.attention = EvenAttention(
      text, llm, heads, ReadKvHeads(text, heads, grouped), {.kv_heads = "num_kv_heads"});
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  layer.ffn = PlainFfn(text.OptionalSize({"ffn_hidden_size"}).value_or(4 * llm.hidden), bias);
  layer.parallel = text.Flag("parallel_attn", true);
  layer.norms = ReadNorms(text, layer.parallel, grouped);
  layer.norm_bias = true;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
