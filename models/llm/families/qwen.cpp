// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Not in every file, and then as in the classes of transformers: tie_word_embeddings,
// use_sliding_window and attention_bias are false, qkv_bias of Qwen2-MoE is true,
// decoder_sparse_step is 1 and mlp_only_layers empty. Qwen2 has a bias on queries, keys and values
// that no key mentions, Qwen3 a norm on queries and keys. head_dim of Qwen2 is hidden_size /
// num_attention_heads; Qwen3 must say it, because its class takes 128 whatever the other sizes
// are.
namespace roofcast {
namespace {

struct Windows {
  std::vector<AttentionKind> kinds;
  std::int64_t window = 0;
};

// A window that is set but not used (use_sliding_window false) is the rule in these files. The
// first max_window_layers layers see everything; Qwen3-MoE has no such exception.
Windows ReadWindows(ConfigReader& text, std::int64_t layers, bool spares_first) {
  Windows windows;
  const bool used = text.Flag("use_sliding_window", false);
  text.Ignore({"sliding_window", "max_window_layers"});
  std::int64_t first = 0;
  if (used) {
    windows.window = text.Size("sliding_window");
    const bool listed = text.Given("layer_types");
    if (spares_first && !listed) {
      if (text.Find("max_window_layers") == nullptr) text.Missing("max_window_layers");
      first = text.OptionalCount("max_window_layers").value_or(0);
    }
  }
  windows.kinds = ReadLayerTypes(text, layers, used, [=](std::int64_t i) { return i >= first; });
  return windows;
}

void ReadDense(ConfigReader& text, Llm& llm, const AttentionLayer& attention, std::int64_t layers) {
  const FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  const Windows windows = ReadWindows(text, layers, true);
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    const AttentionKind kind = windows.kinds[static_cast<std::size_t>(i)];
    layer.attention = WithKind(attention, kind, windows.window);
    layer.ffn = ffn;
    return layer;
  });
}

void ReadMoe(ConfigReader& text,
             Llm& llm,
             const AttentionLayer& attention,
             std::int64_t layers,
             bool shared_expert) {
  FfnLayer moe = MoeFfn(text,
                        text.Size("moe_intermediate_size"),
                        text.Size({"num_experts", "num_local_experts"}),
                        text.Size("num_experts_per_tok"));
  if (shared_expert) {
    moe.shared_width = text.Size("shared_expert_intermediate_size");
    moe.shared_gate = true;
  }
  const auto step = text.OptionalSize({"decoder_sparse_step"}).value_or(1);
  const auto dense_layers = text.Counts("mlp_only_layers");
  const auto is_dense = [&](std::int64_t i) {
    return (i + 1) % step != 0 ||
           std::find(dense_layers.begin(), dense_layers.end(), i) != dense_layers.end();
  };
  // The width of dense layers, which most of these models have none of.
  const auto width = text.OptionalSize({"intermediate_size"});
  bool any_dense = false;
  for (std::int64_t i = 0; i < layers && !any_dense; ++i) any_dense = is_dense(i);
  if (any_dense && !width) text.Missing("intermediate_size");

  const Windows windows = ReadWindows(text, layers, shared_expert);
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    const AttentionKind kind = windows.kinds[static_cast<std::size_t>(i)];
    layer.attention = WithKind(attention, kind, windows.window);
    layer.ffn = is_dense(i) ? DenseFfn(*width) : moe;
    return layer;
  });
}

AttentionLayer ReadQwen3Attention(ConfigReader& text, const Llm& llm) {
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  attention.query_key_norm = QueryKeyNorm::kHead;
  return attention;
}

}  // namespace

void ReadQwen2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  attention.qkv_bias = true;
  ReadDense(text, llm, attention, layers);
}

void ReadQwen2Moe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  attention.qkv_bias = text.Flag("qkv_bias", true);
  ReadMoe(text, llm, attention, layers, true);
}

void ReadQwen3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  ReadDense(text, llm, ReadQwen3Attention(text, llm), layers);
}

void ReadQwen3Moe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  ReadMoe(text, llm, ReadQwen3Attention(text, llm), layers, false);
}

}  // namespace roofcast
