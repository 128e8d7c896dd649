// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/patterns.h"

// Falcon-H1: attention and Mamba-2 read the same normed input, and their outputs are added. Not in
// every file, and then as in FalconH1Config of transformers: tie_word_embeddings, mamba_rms_norm
// and every bias are false, except mamba_conv_bias, which is true.
namespace roofcast {
namespace {

RecurrentLayer ReadMambaMixer(ConfigReader& text) {
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba2;
  mamba.heads = text.Size("mamba_n_heads", kLargestRecurrent);
  mamba.head_dim = text.Size("mamba_d_head", kLargestRecurrent);
  mamba.key_heads = text.Size("mamba_n_groups", kLargestRecurrent);
  mamba.state_dim = text.Size("mamba_d_state", kLargestRecurrent);
  mamba.taps = text.Size("mamba_d_conv", kLargestRecurrent);
  mamba.taps_bias = text.Flag("mamba_conv_bias", true);
  mamba.gated_norm = text.Flag("mamba_rms_norm", false);
  mamba.bias = text.Flag("mamba_proj_bias", false);
  if (mamba.bias != text.Flag("projectors_bias", false)) {
    text.Complain("projectors_bias", "must equal mamba_proj_bias here", "");
  }
  CheckRecurrentGroups(text, "mamba_n_groups", mamba.heads, mamba.key_heads);
  const std::int64_t inner = text.Size("mamba_d_ssm");
  if (text.ok() && inner != mamba.Inner()) {
    text.Complain("mamba_d_ssm",
                  std::to_string(inner) + " is not mamba_n_heads x mamba_d_head, " +
                      std::to_string(mamba.Inner()),
                  "");
  }
  // mamba_use_mlp says what every published model does; the others scale or order what is there.
  text.Ignore({"lm_head_multiplier",
               "mamba_chunk_size",
               "mamba_expand",
               "mamba_norm_before_gate",
               "mlp_expansion_factor",
               "mlp_multipliers",
               "ssm_in_multiplier",
               "ssm_multipliers",
               "ssm_out_multiplier",
               "time_step_floor",
               "time_step_limit",
               "time_step_max",
               "time_step_min",
               "time_step_rank"});
  if (!text.Flag("mamba_use_mlp", true)) {
    text.Complain("mamba_use_mlp", "only true is understood", "");
  }
  return mamba;
}

}  // namespace

void ReadFalconH1(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  layer.attention.qkv_bias = text.Flag("attention_bias", false);
  layer.attention.output_bias = layer.attention.qkv_bias;
  layer.recurrent = ReadMambaMixer(text);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  layer.ffn.bias = text.Flag("mlp_bias", false);
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
