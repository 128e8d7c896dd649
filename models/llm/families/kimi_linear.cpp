// SPDX-License-Identifier: Apache-2.0
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

// Layers are counted from 1, and each stands in one of the two lists.
Mixers ReadMixers(ConfigReader& text, std::int64_t layers) {
  Mixers mixers;
  ConfigReader* linear = text.Inside("linear_attn_config");
  if (linear == nullptr) return mixers;
  RecurrentLayer& delta = mixers.delta;
  delta.kind = RecurrentKind::kKimiDelta;
  delta.heads = linear->Size("num_heads", kLargestRecurrent);
  delta.key_heads = delta.heads;
  delta.head_dim = linear->Size("head_dim", kLargestRecurrent);
  delta.state_dim = delta.head_dim;
  delta.rank = delta.head_dim;
  delta.taps = linear->Size("short_conv_kernel_size", kLargestRecurrent);
  mixers.is_delta = ReadLayerSet(*linear, "kda_layers", layers, 1);
  const std::vector<bool> full = ReadLayerSet(*linear, "full_attn_layers", layers, 1);
  for (std::size_t i = 0; i < full.size() && linear->ok(); ++i) {
    if (full[i] == mixers.is_delta[i]) {
      linear->Complain(full[i] ? "full_attn_layers" : "kda_layers",
                       "layer " + std::to_string(i + 1) + " stands in " +
                           (full[i] ? "both lists" : "neither list"),
                       "name each layer once, counted from 1");
    }
  }
  return mixers;
}

FfnLayer ReadMoe(ConfigReader& text) {
  const std::int64_t width = text.Size("moe_intermediate_size");
  FfnLayer moe = MoeFfn(text,
                        width,
                        text.Size({"num_experts", "n_routed_experts"}),
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
  if (llm.max_length == 0) llm.max_length = text.OptionalSize({"model_max_length"}).value_or(0);
  const AttentionLayer attention = ReadLatentAttention(text, QueryRankRule::kSaid);
  const Mixers mixers = ReadMixers(text, layers);
  const FfnLayer moe = ReadMoe(text);
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const DenseFirst order = ReadDenseFirst(text);
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    if (mixers.is_delta[static_cast<std::size_t>(i)]) {
      layer.attention.kind = AttentionKind::kNone;
      layer.recurrent = mixers.delta;
    } else {
      layer.attention = attention;
    }
    layer.ffn = order.IsMoe(i) ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
