// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"
#include "models/llm/families/patterns.h"

// Kimi Linear: layers of Kimi delta attention, and MLA between them. Not in every file, and then as
// in its class: tie_word_embeddings is false, moe_layer_freq is 1. Both gates of a delta layer come
// through a rank of one head; each router has a correction of each expert.
namespace roofcast {
namespace {

struct Mixers {
  RecurrentLayer delta;
  std::vector<bool> is_delta;
};

// The class of transformers takes the sizes and the kinds from keys of its own, and writes them.
struct DeltaKeys {
  std::string_view heads;
  std::string_view head_dim;
  std::string_view taps;
};
constexpr DeltaKeys kNested{"num_heads", "head_dim", "short_conv_kernel_size"};
constexpr DeltaKeys kFlat{"linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim"};

RecurrentLayer ReadDelta(ConfigReader& config, const DeltaKeys& keys) {
  RecurrentLayer delta;
  delta.kind = RecurrentKind::kKimiDelta;
  delta.heads = config.Size(keys.heads, kLargestRecurrent);
  delta.key_heads = delta.heads;
  delta.head_dim = config.Size(keys.head_dim, kLargestRecurrent);
  delta.state_dim = delta.head_dim;
  delta.rank = delta.head_dim;
  delta.taps = config.Size(keys.taps, kLargestRecurrent);
  return delta;
}

Mixers ReadFlat(ConfigReader& text, std::int64_t layers) {
  Mixers mixers{ReadDelta(text, kFlat), {}};
  for (const char kind : ReadPattern(
           text, "layer_types", layers, {{"full_attention", 'f'}, {"linear_attention", 'l'}})) {
    mixers.is_delta.push_back(kind == 'l');
  }
  return mixers;
}

// Layers are counted from 1, and each stands in one of the two lists.
Mixers ReadNested(ConfigReader& linear, std::int64_t layers) {
  Mixers mixers{ReadDelta(linear, kNested), ReadLayerSet(linear, "kda_layers", layers, 1)};
  const std::vector<bool> full = ReadLayerSet(linear, "full_attn_layers", layers, 1);
  for (std::size_t i = 0; i < full.size() && linear.ok(); ++i) {
    if (full[i] == mixers.is_delta[i]) {
      linear.Complain(full[i] ? "full_attn_layers" : "kda_layers",
                      "layer " + std::to_string(i + 1) + " stands in " +
                          (full[i] ? "both lists" : "neither list"),
                      "name each layer once, counted from 1");
    }
  }
  return mixers;
}

// What the checkpoint's own object says counts first.
Mixers ReadMixers(ConfigReader& text, std::int64_t layers) {
  constexpr std::string_view kKey = "linear_attn_config";
  if (!text.Given(kKey) && text.Given("linear_num_heads")) return ReadFlat(text, layers);
  text.Ignore({kFlat.heads, kFlat.head_dim, kFlat.taps, "layer_types"});
  ConfigReader* linear = text.Inside(kKey);
  return linear == nullptr ? Mixers{} : ReadNested(*linear, layers);
}

FfnLayer ReadMoe(ConfigReader& text) {
  const std::int64_t width = text.Size("moe_intermediate_size");
  FfnLayer moe = MoeFfn(text,
                        width,
                        text.Size({"num_experts", "num_local_experts"}),
                        text.Size({"num_experts_per_token", "num_experts_per_tok"}));
  moe.shared_width = text.Size({"num_shared_experts", "n_shared_experts"}) * width;
  moe.router_bias = true;
  text.Ignore(
      {"moe_renormalize", "moe_router_activation_func", "num_expert_group", "use_grouped_topk"});
  return moe;
}

}  // namespace

void ReadKimiLinear(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const auto length = text.OptionalSize({"model_max_length"});
  if (llm.max_length == 0) llm.max_length = length.value_or(0);
  const AttentionLayer attention = ReadLatentAttention(text, QueryRankRule::kSaid);
  const Mixers mixers = ReadMixers(text, layers);
  const FfnLayer moe = ReadMoe(text);
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::vector<bool> has_experts = ReadMoeLayers(text, layers);
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    if (mixers.is_delta[static_cast<std::size_t>(i)]) {
      layer.attention.kind = AttentionKind::kNone;
      layer.recurrent = mixers.delta;
    } else {
      layer.attention = attention;
    }
    layer.ffn = has_experts[static_cast<std::size_t>(i)] ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
