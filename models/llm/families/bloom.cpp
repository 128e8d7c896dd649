// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// No key of BloomConfig mentions the norm of the embeddings, the biases of every linear layer and
// norm, or that the feed-forward part is 4 hidden sizes wide. Embeddings are tied unless the file
// says otherwise; heads are never grouped; positions are biases of attention (ALiBi), which have
// no weights.
namespace roofcast {

void ReadBloom(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size({"hidden_size", "n_embed"});
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  llm.embedding_norm = true;
  llm.final_norm_bias = true;
  const auto positions = text.OptionalSize({"seq_length"});
  if (llm.max_length == 0) llm.max_length = positions.value_or(0);
  const std::int64_t layers = ReadLayerCount(text, {"n_layer", "num_hidden_layers"});
  if (text.Given("n_inner") && text.ok() && text.Size("n_inner") != 4 * llm.hidden) {
    text.Complain("n_inner", "other than 4 hidden_size is not understood", "");
  }

  Layer layer;
  const std::int64_t heads = text.Size({"n_head", "num_attention_heads"});
  layer.attention = EvenAttention(text, llm, heads, heads);
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  layer.ffn = PlainFfn(4 * llm.hidden, true);
  layer.norm_bias = true;
  // Where sums are taken and kernels joined; the tensors are the same.
  text.Ignore({"apply_residual_connection_post_layernorm",
               "bias_dropout_fusion",
               "skip_bias_add",
               "skip_bias_add_qkv"});
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
