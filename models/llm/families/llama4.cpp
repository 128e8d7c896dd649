// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Llama 4. Layers with rotary positions see the tokens of their own chunk, each fourth one has
// none and sees all; a shared expert as wide as a routed one stands in every MoE layer, and dense
// layers have a width of their own. Norms of queries and keys have no weights. Not in every file,
// and then as in Llama4TextConfig: tie_word_embeddings and attention_bias are false, and without
// no_rope_layers (or with an empty list) each no_rope_layer_interval-th layer, 4 if not given, has
// no rotary positions. What sets a shape has to be there.
namespace roofcast {
namespace {

// Which layers are MoE: a list, or each interleave_moe_layer_step-th.
std::vector<bool> ReadMoeLayers(ConfigReader& text, std::int64_t layers) {
  std::vector<bool> moe(static_cast<std::size_t>(layers), false);
  if (!text.Given("moe_layers")) {
    const std::int64_t step = text.Size("interleave_moe_layer_step");
    for (std::int64_t i = step - 1; i < layers; i += step) moe[static_cast<std::size_t>(i)] = true;
    return moe;
  }
  text.Ignore({"interleave_moe_layer_step"});
  for (const std::int64_t layer : text.Counts("moe_layers")) {
    if (layer < layers) {
      moe[static_cast<std::size_t>(layer)] = true;
    } else {
      text.Complain("moe_layers", "no layer " + std::to_string(layer), "");
    }
  }
  return moe;
}

// no_rope_layers: 1 where a layer has rotary positions, and with them chunks.
std::vector<bool> ReadChunked(ConfigReader& text, std::int64_t layers) {
  const std::int64_t interval = text.OptionalSize({"no_rope_layer_interval"}).value_or(4);
  const std::vector<std::int64_t> rotary = text.Counts("no_rope_layers");
  std::vector<bool> chunked(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (rotary.empty()) chunked[at] = (i + 1) % interval != 0;
    if (at < rotary.size()) chunked[at] = rotary[at] != 0;
  }
  if (!rotary.empty() && static_cast<std::int64_t>(rotary.size()) < layers) {
    text.Complain(
        "no_rope_layers",
        std::to_string(rotary.size()) + " entries for " + std::to_string(layers) + " layers",
        "give one entry a layer");
  }
  return chunked;
}

// layer_types, which the class derives from no_rope_layers when it is not given.
void ReadChunkedTypes(ConfigReader& text, std::vector<bool>& chunked) {
  const std::vector<std::string> types = text.Texts({"layer_types"});
  if (types.empty()) return;
  if (types.size() != chunked.size()) {
    text.Complain(
        "layer_types",
        std::to_string(types.size()) + " entries for " + std::to_string(chunked.size()) + " layers",
        "give one entry a layer");
    return;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    chunked[i] = types[i] == "chunked_attention";
    if (chunked[i] || types[i] == "full_attention") continue;
    text.Complain("layer_types",
                  Quoted(types[i]) + " is not understood",
                  "known: chunked_attention or full_attention");
  }
}

}  // namespace

void ReadLlama4Text(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  attention.qkv_bias = text.Flag("attention_bias", false);
  attention.output_bias = attention.qkv_bias;
  text.Ignore({"use_qk_norm"});

  const std::int64_t expert_width = text.Size("intermediate_size");
  FfnLayer moe =
      MoeFfn(text, expert_width, text.Size("num_local_experts"), text.Size("num_experts_per_tok"));
  moe.shared_width = expert_width;
  const std::vector<bool> is_moe = ReadMoeLayers(text, layers);
  const bool any_dense = std::find(is_moe.begin(), is_moe.end(), false) != is_moe.end();
  // Scout's files say it too, though none of its layers is dense.
  const auto dense_width = text.OptionalSize({"intermediate_size_mlp"});
  if (any_dense && !dense_width) text.Missing("intermediate_size_mlp");

  if (text.Find("attention_chunk_size") == nullptr) {
    text.Missing("attention_chunk_size", "add it: null if every layer sees the whole prefix");
  }
  const auto chunk = text.OptionalSize({"attention_chunk_size"});
  std::vector<bool> chunked = ReadChunked(text, layers);
  ReadChunkedTypes(text, chunked);

  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    Layer layer;
    layer.attention =
        chunk && chunked[at] ? WithKind(attention, AttentionKind::kChunked, *chunk) : attention;
    layer.ffn = is_moe[at] ? moe : DenseFfn(dense_width.value_or(0));
    return layer;
  });
}

}  // namespace roofcast
