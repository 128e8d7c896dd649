// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Encoders with learned positions and a norm after attention and feed-forward: BERT, RoBERTa,
// XLM-R, DistilBERT. Not in every file, and then as in the classes of transformers: embeddings are
// tied, position_embedding_type is absolute, two segments. Linear layers and norms have biases.
// Without architectures, or with a ...Model there, it is the encoder with its pooler; a
// ...ForMaskedLM has the masked-LM head instead: a square layer and a norm before the tied matrix
// with its bias.
namespace roofcast {
namespace {

struct Dims {
  std::int64_t layers = 1;
  std::int64_t heads = 1;
  std::int64_t width = 1;
  bool pooler = true;
};

void ReadEncoder(ConfigReader& text, ConfigReader& top, Llm& llm, const Dims& dims) {
  llm.embedding_norm = true;
  llm.final_norm = false;
  llm.final_norm_bias = true;
  llm.learned_positions = text.Size("max_position_embeddings");
  ReadEncoderHead(text, top, llm);
  llm.head_bias = true;
  Layer layer;
  layer.attention = EvenAttention(text, llm, dims.heads, dims.heads);
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  layer.ffn = PlainFfn(dims.width, true);
  layer.norm_bias = true;
  if (AppendEqualLayers(text, llm, dims.layers, layer) && dims.pooler && !llm.has_head) {
    AddPooler(llm);
  }
}

}  // namespace

void ReadBert(ConfigReader& text, ConfigReader& top, Llm& llm) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size("vocab_size");
  llm.token_types = text.OptionalSize({"type_vocab_size"}).value_or(2);
  const std::string positions = text.OptionalText({"position_embedding_type"}).value_or("absolute");
  if (positions != "absolute") {
    text.Complain("position_embedding_type", "only absolute is understood", "");
  }
  // Of the first release's code for other tasks.
  text.Ignore({"pooler_fc_size",
               "pooler_num_attention_heads",
               "pooler_num_fc_layers",
               "pooler_size_per_head",
               "pooler_type"});
  const std::int64_t layers = ReadLayerCount(text);
  const std::int64_t heads = text.Size("num_attention_heads");
  ReadEncoder(text, top, llm, {layers, heads, text.Size("intermediate_size")});
}

void ReadRoberta(ConfigReader& text, ConfigReader& top, Llm& llm) {
  ReadBert(text, top, llm);
  // The first two rows of the table are of padding.
  if (llm.max_length > 2) llm.max_length -= 2;
}

void ReadDistilbert(ConfigReader& text, ConfigReader& top, Llm& llm) {
  llm.hidden = text.Size({"dim", "hidden_size"});
  llm.vocabulary = text.Size("vocab_size");
  // The table of sinusoids is stored like a learned one.
  text.Ignore({"sinusoidal_pos_embds"});
  if (!text.Flag("tie_weights_", true)) {
    text.Complain("tie_weights_", "only true is understood", "");
  }
  const std::int64_t layers = ReadLayerCount(text, {"n_layers", "num_hidden_layers"});
  const std::int64_t heads = text.Size({"n_heads", "num_attention_heads"});
  ReadEncoder(text, top, llm, {layers, heads, text.Size("hidden_dim"), false});
}

}  // namespace roofcast
