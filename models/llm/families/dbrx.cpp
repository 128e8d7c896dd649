// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// DBRX keeps its sizes under names of its own, in attn_config and ffn_config. Nothing has a bias;
// tie_word_embeddings is false where the file doesn't say it, as in DbrxConfig of transformers.
namespace roofcast {

void ReadDbrx(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size("d_model");
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", false);
  llm.max_length = text.OptionalSize({"max_seq_len"}).value_or(llm.max_length);
  const std::int64_t layers = text.Size("n_layers", kMostLayers);
  ConfigReader* inner = text.Inside("attn_config");
  ConfigReader* ffn = text.Inside("ffn_config");
  if (inner == nullptr || ffn == nullptr) return;

  Layer layer;
  layer.attention.heads = text.Size("n_heads");
  layer.attention.kv_heads = inner->Size("kv_n_heads");
  if (text.ok() && llm.hidden % layer.attention.heads != 0) {
    text.Complain("n_heads", "does not divide d_model " + std::to_string(llm.hidden), "");
  }
  if (text.ok() && layer.attention.heads % layer.attention.kv_heads != 0) {
    inner->Complain(
        "kv_n_heads", "does not divide n_heads " + std::to_string(layer.attention.heads), "");
  }
  layer.attention.head_dim = llm.hidden / layer.attention.heads;
  layer.attention.value_dim = layer.attention.head_dim;
  layer.ffn.width = ffn->Size("ffn_hidden_size");
  layer.ffn.experts = ffn->Size("moe_num_experts");
  layer.ffn.experts_per_token = ffn->Size("moe_top_k");
  if (text.ok() && layer.ffn.experts_per_token > layer.ffn.experts) {
    ffn->Complain("moe_top_k", "more than moe_num_experts", "");
  }
  ffn->Ignore({"ffn_act_fn",
               "moe_jitter_eps",
               "moe_loss_weight",
               "moe_normalize_expert_weights",
               "model_type",
               "uniform_expert_assignment"});
  inner->Ignore({"model_type"});
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
