// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in MptConfig of transformers: embeddings are tied, expansion_ratio
// is 4, there is no bias anywhere, and attention has ALiBi instead of a position table, whatever
// learned_pos_emb says. attn_config says whether heads are grouped.
namespace roofcast {
namespace {

std::int64_t ReadKvHeads(ConfigReader& text, std::int64_t heads) {
  if (!text.Given("attn_config")) {
    text.Missing("attn_config", "add it: it says how heads are grouped");
    return 1;
  }
  ConfigReader* attention = text.Inside("attn_config");
  if (attention == nullptr) return 1;
  attention->Ignore({"alibi_bias_max"});
  if (!attention->Flag("alibi", true)) {
    attention->Complain("alibi", "only true is understood", "");
  }
  for (const std::string_view key : {"qk_ln", "qk_gn", "prefix_lm", "rope"}) {
    if (attention->Flag(key, false)) attention->Complain(key, "only false is understood", "");
  }
  const std::string type = attention->OptionalText({"attn_type"}).value_or("multihead_attention");
  if (type == "grouped_query_attention") return attention->Size("kv_n_heads");
  if (type == "multiquery_attention") return 1;
  if (type != "multihead_attention") {
    attention->Complain(
        "attn_type",
        "'" + type + "' is not understood",
        "known: multihead_attention, multiquery_attention or grouped_query_attention");
  }
  return heads;
}

}  // namespace

void ReadMpt(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size({"d_model", "hidden_size"});
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  llm.max_length = text.OptionalSize({"max_seq_len"}).value_or(0);
  const std::int64_t layers = ReadLayerCount(text, {"n_layers", "num_hidden_layers"});
  const std::int64_t heads = text.Size({"n_heads", "num_attention_heads"});
  Layer layer;
  layer.attention = EvenAttention(text,
                                  llm,
                                  heads,
                                  ReadKvHeads(text, heads),
                                  {.heads = "n_heads", .kv_heads = "attn_config.kv_n_heads"});
  const std::int64_t ratio = text.OptionalSize({"expansion_ratio"}).value_or(4);
  constexpr std::int64_t kLargestRatio = 1000;
  if (ratio > kLargestRatio) text.Complain("expansion_ratio", "more than 1000", "");
  layer.ffn = PlainFfn(std::min(ratio, kLargestRatio) * llm.hidden, false);
  if (!text.Flag("no_bias", true)) text.Complain("no_bias", "only true is understood", "");
  // init_config is about training; every norm_type that was published has weights and no bias.
  text.Ignore({"learned_pos_emb", "init_config", "norm_type"});
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
