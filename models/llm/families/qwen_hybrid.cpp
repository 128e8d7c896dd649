// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"
#include "models/llm/families/patterns.h"

// Qwen3-Next and Qwen3.5: layers of the gated delta rule, and gated attention between them. Not in
// every file, and then as in the classes of transformers: tie_word_embeddings and attention_bias
// are false, decoder_sparse_step is 1, mlp_only_layers empty. Every Qwen3-Next checkpoint has one
// MTP module that no key mentions; Qwen3.5 names its layers in mtp_num_hidden_layers.
namespace roofcast {
namespace {

struct Mixers {
  AttentionLayer attention;
  RecurrentLayer delta;
  std::vector<char> kinds;
};

RecurrentLayer ReadDelta(ConfigReader& text) {
  RecurrentLayer delta;
  delta.kind = RecurrentKind::kGatedDelta;
  delta.heads = text.Size("linear_num_value_heads", kLargestRecurrent);
  delta.head_dim = text.Size("linear_value_head_dim", kLargestRecurrent);
  delta.key_heads = text.Size("linear_num_key_heads", kLargestRecurrent);
  delta.state_dim = text.Size("linear_key_head_dim", kLargestRecurrent);
  delta.taps = text.Size("linear_conv_kernel_dim", kLargestRecurrent);
  CheckRecurrentGroups(text, "linear_num_key_heads", delta.heads, delta.key_heads);
  text.Ignore({"mamba_ssm_dtype"});
  return delta;
}

// layer_types, or each full_attention_interval-th layer attends.
std::vector<char> ReadKinds(ConfigReader& text, std::int64_t layers) {
  const auto interval = text.OptionalSize({"full_attention_interval"});
  if (text.Given("layer_types")) {
    return ReadPattern(
        text, "layer_types", layers, {{"full_attention", 'f'}, {"linear_attention", 'l'}});
  }
  if (!interval) text.Missing("full_attention_interval", "add it, or layer_types");
  std::vector<char> kinds;
  for (std::int64_t i = 0; i < layers; ++i) {
    kinds.push_back((i + 1) % interval.value_or(1) == 0 ? 'f' : 'l');
  }
  return kinds;
}

Mixers ReadMixers(ConfigReader& text, const Llm& llm, std::int64_t layers) {
  Mixers mixers;
  mixers.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  mixers.attention.qkv_bias = text.Flag("attention_bias", false);
  mixers.attention.output_bias = mixers.attention.qkv_bias;
  mixers.attention.query_key_norm = QueryKeyNorm::kHead;
  mixers.attention.output_gate = true;
  if (!text.Flag("attn_output_gate", true)) {
    text.Complain("attn_output_gate", "only true is understood", "");
  }
  mixers.delta = ReadDelta(text);
  mixers.kinds = ReadKinds(text, layers);
  return mixers;
}

Layer LayerOf(const Mixers& mixers, char kind, const FfnLayer& ffn) {
  Layer layer;
  layer.ffn = ffn;
  if (kind == 'f') {
    layer.attention = mixers.attention;
  } else {
    layer.attention.kind = AttentionKind::kNone;
    layer.recurrent = mixers.delta;
  }
  return layer;
}

FfnLayer ReadMoe(ConfigReader& text) {
  FfnLayer moe = MoeFfn(text,
                        text.Size("moe_intermediate_size"),
                        text.Size({"num_experts", "num_local_experts"}),
                        text.Size("num_experts_per_tok"));
  moe.shared_width = text.Size("shared_expert_intermediate_size");
  moe.shared_gate = true;
  return moe;
}

void ReadQwen35(ConfigReader& text, ConfigReader& top, Llm& llm, bool experts) {
  constexpr std::int64_t kMostMtp = 100;
  // A config with a vision tower says it at the upper level.
  const std::int64_t layers = ReadBackbone(text, llm, top.Flag("tie_word_embeddings", false));
  const Mixers mixers = ReadMixers(text, llm, layers);
  const FfnLayer ffn = experts ? ReadMoe(text) : DenseFfn(text.Size("intermediate_size"));
  const std::int64_t mtp = text.OptionalCount("mtp_num_hidden_layers").value_or(0);
  if (mtp > kMostMtp) text.Complain("mtp_num_hidden_layers", "more than 100", "");
  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    return LayerOf(mixers, mixers.kinds[static_cast<std::size_t>(i)], ffn);
  });
  if (!built || mtp == 0) return;
  const std::vector<Layer> predicted(static_cast<std::size_t>(mtp), LayerOf(mixers, 'f', ffn));
  AddSharedEndsPrediction(llm, predicted, 1);
}

}  // namespace

void ReadQwen3Next(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const Mixers mixers = ReadMixers(text, llm, layers);
  const FfnLayer moe = ReadMoe(text);
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::int64_t step = text.OptionalSize({"decoder_sparse_step"}).value_or(1);
  const auto listed = text.Counts("mlp_only_layers");
  const std::int64_t modules = text.Given("num_nextn_predict_layers") ? ReadMtpModules(text) : 1;
  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    const bool is_dense =
        (i + 1) % step != 0 || std::find(listed.begin(), listed.end(), i) != listed.end();
    return LayerOf(mixers, mixers.kinds[static_cast<std::size_t>(i)], is_dense ? dense : moe);
  });
  if (built && modules > 0) AddSharedEndsPrediction(llm, {LayerOf(mixers, 'f', moe)}, modules);
}

void ReadQwen35Text(ConfigReader& text, ConfigReader& top, Llm& llm) {
  ReadQwen35(text, top, llm, /*experts=*/false);
}

void ReadQwen35MoeText(ConfigReader& text, ConfigReader& top, Llm& llm) {
  ReadQwen35(text, top, llm, /*experts=*/true);
}

}  // namespace roofcast
