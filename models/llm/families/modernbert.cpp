// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in ModernBertConfig of transformers: embeddings are tied, no layer
// and no norm has a bias but the decoder (decoder_bias), each third layer sees everything
// (global_attn_every_n_layers), the first one included, and the others local_attention = 128 tokens
// around theirs. The first layer has no norm before attention: that of the embeddings stands for
// it. As in BERT the class in architectures says whether there is a masked-LM head.
namespace roofcast {

void ReadModernbert(ConfigReader& text, ConfigReader& top, Llm& llm) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size("vocab_size");
  llm.embedding_norm = true;
  llm.final_norm_bias = text.Flag("norm_bias", false);
  ReadEncoderHead(text, top, llm);
  llm.head_bias = text.Flag("decoder_bias", true);
  const std::int64_t layers = ReadLayerCount(text);
  const std::int64_t heads = text.Size("num_attention_heads");
  AttentionLayer attention = EvenAttention(text, llm, heads, heads);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  ffn.bias = text.Flag("mlp_bias", false);
  if (text.Flag("classifier_bias", false) != llm.final_norm_bias) {
    text.Complain("classifier_bias", "other than norm_bias is not understood", "");
  }
  // Half of them on either side, and the token itself.
  const std::int64_t window = text.OptionalSize({"local_attention"}).value_or(128) / 2 * 2 + 1;
  const std::int64_t every = text.OptionalSize({"global_attn_every_n_layers"}).value_or(3);
  const auto kinds =
      ReadLayerTypes(text, layers, true, [=](std::int64_t i) { return i % every != 0; });
  // Which losses are taken, and how classifiers pool.
  text.Ignore({"sparse_prediction", "sparse_pred_ignore_index"});
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window);
    layer.ffn = ffn;
    layer.norms = i == 0 ? 1 : 2;
    layer.norm_bias = llm.final_norm_bias;
    return layer;
  });
}

}  // namespace roofcast
