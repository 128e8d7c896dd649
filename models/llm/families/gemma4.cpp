// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Gemma 4. Full layers have heads of their own size (global_head_dim) and, with attention_k_eq_v,
// their own number of KV heads and no value projection. With enable_moe_block a dense FFN runs
// beside the experts in every layer: a shared expert here. Every layer has a scalar, and with MoE
// the router has a scale for each input and each expert. Not in every file, and then as in
// Gemma4TextConfig: embeddings are tied, attention_bias, attention_k_eq_v and enable_moe_block are
// false, and each sixth layer and the last one are full. Layers that borrow keys and values
// (num_kv_shared_layers) and per-layer embeddings, both of E2B and E4B, are refused.
namespace roofcast {
namespace {

void RefuseWhatIsNotModelled(ConfigReader& text) {
  if (text.Find("hidden_size_per_layer_input") == nullptr) {
    text.Missing("hidden_size_per_layer_input", "add it: 0 if there are no per-layer embeddings");
  }
  if (text.OptionalCount("hidden_size_per_layer_input").value_or(0) > 0) {
    text.Complain("hidden_size_per_layer_input", "per-layer embeddings are not modelled", "");
  }
  text.Ignore({"vocab_size_per_layer_input"});  // of those
  if (text.OptionalCount("num_kv_shared_layers").value_or(0) > 0) {
    text.Complain("num_kv_shared_layers", "layers that borrow keys are not modelled", "");
  }
  text.Ignore({"use_double_wide_mlp"});  // of those that borrow
  const auto both_ways = text.OptionalText({"use_bidirectional_attention"});
  if (both_ways && *both_ways != "vision") {
    text.Complain("use_bidirectional_attention", "only vision or null is understood", "");
  }
}

AttentionLayer ReadFullAttention(ConfigReader& text, AttentionLayer attention) {
  attention.head_dim = text.Size("global_head_dim");
  attention.value_dim = attention.head_dim;
  attention.values_from_keys = text.Flag("attention_k_eq_v", false);
  const auto kv_heads = text.OptionalSize({"num_global_key_value_heads"});
  if (attention.values_from_keys && kv_heads) attention.kv_heads = *kv_heads;
  if (text.ok() && attention.heads % attention.kv_heads != 0) {
    text.Complain("num_global_key_value_heads", "does not divide num_attention_heads", "");
  }
  return attention;
}

FfnLayer ReadFfn(ConfigReader& text) {
  const std::int64_t width = text.Size("intermediate_size");
  if (!text.Flag("enable_moe_block", false)) {
    text.Ignore({"num_experts", "top_k_experts", "moe_intermediate_size"});
    return DenseFfn(width);
  }
  const std::int64_t experts = text.Size("num_experts");
  const std::int64_t chosen = text.Size({"top_k_experts", "num_experts_per_tok"});
  FfnLayer ffn = MoeFfn(text, text.Size("moe_intermediate_size"), experts, chosen);
  ffn.shared_width = width;
  return ffn;
}

}  // namespace

void ReadGemma4Text(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  RefuseWhatIsNotModelled(text);
  AttentionLayer sliding = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  sliding.qkv_bias = text.Flag("attention_bias", false);
  sliding.output_bias = sliding.qkv_bias;
  sliding.query_key_norm = QueryKeyNorm::kHead;
  const AttentionLayer full = ReadFullAttention(text, sliding);
  const FfnLayer ffn = ReadFfn(text);
  const std::int64_t window = text.Size("sliding_window");
  const auto kinds = ReadLayerTypes(
      text, layers, true, [=](std::int64_t i) { return (i + 1) % 6 != 0 && i + 1 < layers; });
  if (text.ok() && kinds.back() != AttentionKind::kFull) {
    text.Complain("layer_types", "ends with a sliding layer", "the class makes the last one full");
  }
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    const AttentionKind kind = kinds[static_cast<std::size_t>(i)];
    Layer layer;
    layer.attention = kind == AttentionKind::kFull ? full : WithKind(sliding, kind, window);
    layer.ffn = ffn;
    // Before and after attention and feed-forward part; three more around the experts.
    layer.norms = ffn.IsMoe() ? 7 : 4;
    layer.scalars = 1 + (ffn.IsMoe() ? llm.hidden + ffn.experts : 0);
    return layer;
  });
}

}  // namespace roofcast
