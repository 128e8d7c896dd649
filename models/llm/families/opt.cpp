// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in OPTConfig of transformers: embeddings are tied, biases and norm
// weights are there (enable_bias, layer_norm_elementwise_affine), norms come before attention and
// feed-forward. Heads are never grouped. The position table has two rows more than positions. OPT
// 350M embeds tokens in fewer numbers than its layers have (word_embed_proj_dim): refused.
namespace roofcast {

void ReadOpt(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size({"hidden_size", "d_model"});
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  const std::int64_t layers = ReadLayerCount(text);
  llm.learned_positions = text.Size("max_position_embeddings") + 2;
  const auto embedded = text.OptionalSize({"word_embed_proj_dim"});
  if (text.ok() && embedded.value_or(llm.hidden) != llm.hidden) {
    text.Complain("word_embed_proj_dim", "other than hidden_size is not understood", "");
  }
  const bool bias = text.Flag("enable_bias", true);
  const bool affine = text.Flag("layer_norm_elementwise_affine", true);
  // Models tuned with transformers before 4.20.1 lack the last norm.
  const bool last = !text.Flag("_remove_final_layer_norm", false);
  const bool before = text.Flag("do_layer_norm_before", true);
  llm.final_norm = affine && last && before;
  llm.final_norm_bias = true;

  Layer layer;
  const std::int64_t heads = text.Size("num_attention_heads");
  layer.attention = EvenAttention(text, llm, heads, heads);
  layer.attention.qkv_bias = bias;
  layer.attention.output_bias = bias;
  layer.ffn = PlainFfn(text.Size("ffn_dim"), bias);
  layer.norms = affine ? 2 : 0;
  layer.norm_bias = true;
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
