// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// GPT-2 and StarCoder 1 (gpt_bigcode). Not in every file, and then as in the classes of
// transformers: embeddings are tied, a missing or null n_inner is 4 n_embd. All linear layers and
// norms have biases, positions are learned. GPT-2 has one KV head a query head, gpt_bigcode one for
// all if multi_query, which the file must say. GPT-J rotates instead, runs attention and
// feed-forward side by side from one norm, and has biases in feed-forward and LM head alone, which
// isn't tied.
namespace roofcast {
namespace {

// The keys of GPT-2, also by the names that transformers maps to them. Returns the layers.
std::int64_t ReadDims(ConfigReader& text, Llm& llm, bool tied_when_absent) {
  llm.hidden = text.Size({"n_embd", "hidden_size"});
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", tied_when_absent);
  llm.final_norm_bias = true;
  llm.max_length = text.Size({"n_positions", "max_position_embeddings"});
  // n_ctx is an older name of n_positions; the last one scales scores.
  text.Ignore({"n_ctx", "scale_attn_by_inverse_layer_idx"});
  return ReadLayerCount(text, {"n_layer", "num_hidden_layers"});
}

Layer ReadLayer(ConfigReader& text, const Llm& llm, bool one_kv_head) {
  Layer layer;
  const std::int64_t heads = text.Size({"n_head", "num_attention_heads"});
  layer.attention = EvenAttention(text, llm, heads, one_kv_head ? 1 : heads, {.heads = "n_head"});
  layer.ffn = PlainFfn(text.OptionalSize({"n_inner"}).value_or(4 * llm.hidden), true);
  layer.norm_bias = true;
  return layer;
}

void ReadLearnedPositions(ConfigReader& text, Llm& llm, bool one_kv_head) {
  const std::int64_t layers = ReadDims(text, llm, true);
  llm.learned_positions = llm.max_length;
  Layer layer = ReadLayer(text, llm, one_kv_head);
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace

void ReadGpt2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadLearnedPositions(text, llm, false);
}

void ReadGptBigcode(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  if (text.Find("multi_query") == nullptr) {
    text.Missing("multi_query", "add it: true if all query heads share one KV head");
  }
  const bool one_kv_head = text.Flag("multi_query", true);
  // What the class derives from multi_query; some files repeat it.
  if (text.Given("num_key_value_heads") && (text.Size("num_key_value_heads") == 1) != one_kv_head) {
    text.Complain("num_key_value_heads", "contradicts multi_query", "keep one of them");
  }
  ReadLearnedPositions(text, llm, one_kv_head);
}

void ReadGptj(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadDims(text, llm, false);
  llm.head_bias = true;
  Layer layer = ReadLayer(text, llm, false);
  layer.norms = 1;
  layer.parallel = true;
  text.Ignore({"rotary_dim"});  // how much of a head is rotated
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
