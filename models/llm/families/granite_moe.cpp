// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/patterns.h"

// Granite with experts, and Granite 4 with Mamba-2 layers. Not in every file, and then as in the
// classes of transformers: tie_word_embeddings and attention_bias are false, head_dim is
// hidden_size / num_attention_heads, mamba_conv_bias is true, mamba_proj_bias false. Each layer of
// Granite 4 has a shared expert; without experts (num_local_experts 0) that is its feed-forward.
namespace roofcast {
namespace {

AttentionLayer ReadAttention(ConfigReader& text, const Llm& llm) {
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  return attention;
}

RecurrentLayer ReadMambaMixer(ConfigReader& text, const Llm& llm) {
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba2;
  mamba.heads = text.Size("mamba_n_heads", kLargestRecurrent);
  mamba.head_dim = text.Size("mamba_d_head", kLargestRecurrent);
  mamba.key_heads = text.Size("mamba_n_groups", kLargestRecurrent);
  mamba.state_dim = text.Size("mamba_d_state", kLargestRecurrent);
  mamba.taps = text.Size("mamba_d_conv", kLargestRecurrent);
  mamba.bias = text.Flag("mamba_proj_bias", false);
  mamba.taps_bias = text.Flag("mamba_conv_bias", true);
  CheckRecurrentGroups(text, "mamba_n_groups", mamba.heads, mamba.key_heads);
  const std::int64_t expand = text.Size("mamba_expand", kLargestRecurrent);
  if (text.ok() && expand * llm.hidden != mamba.Inner()) {
    text.Complain("mamba_n_heads",
                  "times mamba_d_head is " + std::to_string(mamba.Inner()) +
                      ", not mamba_expand x hidden_size, " + std::to_string(expand * llm.hidden),
                  "");
  }
  text.Ignore({"mamba_chunk_size", "time_step_limit"});
  return mamba;
}

}  // namespace

void ReadGraniteMoe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadAttention(text, llm);
  layer.ffn = MoeFfn(text,
                     text.Size("intermediate_size"),
                     text.Size("num_local_experts"),
                     text.Size("num_experts_per_tok"));
  layer.ffn.shared_width = text.OptionalCount("shared_intermediate_size").value_or(0);
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

void ReadGraniteMoeHybrid(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const AttentionLayer attention = ReadAttention(text, llm);
  const std::vector<char> kinds = ReadPattern(
      text,
      "layer_types",
      layers,
      {{"mamba", 'M'}, {"linear_attention", 'M'}, {"attention", '*'}, {"full_attention", '*'}});
  RecurrentLayer mamba = ReadMambaMixer(text, llm);
  const std::int64_t shared = text.Size("shared_intermediate_size");
  FfnLayer ffn = DenseFfn(shared);
  if (!text.Given("num_local_experts")) text.Missing("num_local_experts", "add it: 0 if dense");
  if (const auto experts = text.OptionalCount("num_local_experts").value_or(0); experts > 0) {
    ffn = MoeFfn(text, text.Size("intermediate_size"), experts, text.Size("num_experts_per_tok"));
    ffn.shared_width = shared;
  }
  text.Ignore({"intermediate_size", "num_experts_per_tok"});
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.ffn = ffn;
    if (kinds[static_cast<std::size_t>(i)] == '*') {
      layer.attention = attention;
    } else {
      layer.attention.kind = AttentionKind::kNone;
      layer.recurrent = mamba;
    }
    return layer;
  });
}

}  // namespace roofcast
