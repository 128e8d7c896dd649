// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: embeddings are tied,
// attention_bias is false, all layers of Gemma 1 see everything, Gemma 2 alternates sliding and
// full attention and in Gemma 3 each sixth layer is full. A Gemma 3 with vision keeps its language
// model in text_config, which transformers writes as the difference to its class; what the
// published files leave out is filled in from there: vocab_size 262208, head_dim 256, and 8 query
// and 4 KV heads if neither is given.
namespace roofcast {
namespace {

AttentionLayer ReadAttention(ConfigReader& text, const Llm& llm) {
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  return attention;
}

// The same for a text_config that is written as a difference.
AttentionLayer ReadNestedAttention(ConfigReader& text) {
  AttentionLayer attention;
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  const bool heads_given = text.Given("num_attention_heads") || text.Given("num_key_value_heads");
  attention.heads = heads_given ? text.Size("num_attention_heads") : 8;
  attention.kv_heads = heads_given ? text.Size("num_key_value_heads") : 4;
  attention.head_dim = text.OptionalSize({"head_dim"}).value_or(256);
  attention.value_dim = attention.head_dim;
  CheckGroups(text, attention);
  return attention;
}

void ReadLayers(ConfigReader& text,
                Llm& llm,
                std::int64_t layers,
                AttentionLayer attention,
                std::int64_t pattern) {
  const std::int64_t window = text.Size({"sliding_window", "sliding_window_size"});
  const FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  const auto kinds =
      ReadLayerTypes(text, layers, true, [=](std::int64_t i) { return (i + 1) % pattern != 0; });
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window);
    layer.ffn = ffn;
    layer.norms = 4;  // before and after attention and feed-forward
    return layer;
  });
}

void ReadGemma3Layers(ConfigReader& text, Llm& llm, std::int64_t layers, AttentionLayer attention) {
  attention.query_key_norm = QueryKeyNorm::kHead;
  const std::int64_t pattern =
      text.OptionalSize({"sliding_window_pattern", "_sliding_window_pattern"}).value_or(6);
  if (text.Flag("use_bidirectional_attention", false)) {
    text.Complain("use_bidirectional_attention", "not understood", "");
  }
  ReadLayers(text, llm, layers, attention, pattern);
}

}  // namespace

void ReadGemma(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  Layer layer;
  layer.attention = ReadAttention(text, llm);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  if (text.Given("use_bidirectional_attention") &&
      text.Flag("use_bidirectional_attention", false)) {
    text.Complain("use_bidirectional_attention", "not understood", "");
  }
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadGemma2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  ReadLayers(text, llm, layers, ReadAttention(text, llm), 2);
}

void ReadGemma3Text(ConfigReader& text, ConfigReader& top, Llm& llm) {
  if (&text == &top) {
    const std::int64_t layers = ReadBackbone(text, llm, true);
    ReadGemma3Layers(text, llm, layers, ReadAttention(text, llm));
    return;
  }
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.OptionalSize({"vocab_size"}).value_or(262'208);
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  const std::int64_t layers = ReadLayerCount(text);
  ReadGemma3Layers(text, llm, layers, ReadNestedAttention(text));
}

}  // namespace roofcast
