// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/patterns.h"

// Models of Mamba layers alone: no feed-forward, one norm a layer. Not in every file, and then as
// in the classes of transformers: Mamba and Falcon-Mamba tie embeddings, Mamba-2 doesn't; use_bias
// is false, use_conv_bias true. Falcon-Mamba norms step size, B and C without weights.
namespace roofcast {
namespace {

void ReadMambaLayers(ConfigReader& text, Llm& llm, std::int64_t layers, RecurrentLayer mamba) {
  mamba.state_dim = text.Size("state_size", kLargestRecurrent);
  mamba.taps = text.Size("conv_kernel", kLargestRecurrent);
  mamba.bias = text.Flag("use_bias", false);
  mamba.taps_bias = text.Flag("use_conv_bias", true);
  // Keys of the original code stand beside those of transformers, and "norm" is of the residual.
  text.Ignore({"chunk_size",
               "d_inner",
               "d_model",
               "fused_add_norm",
               "head_dim",
               "intermediate_size",
               "n_groups",
               "n_layer",
               "norm_before_gate",
               "pad_vocab_size_multiple",
               "rescale_prenorm_residual",
               "rms_norm",
               "ssm_cfg",
               "time_step_floor",
               "time_step_init_scheme",
               "time_step_limit",
               "time_step_max",
               "time_step_min",
               "time_step_rank",
               "time_step_scale"});
  Layer layer;
  layer.norms = 1;
  layer.attention.kind = AttentionKind::kNone;
  layer.recurrent = mamba;
  AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace

void ReadMamba(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, true);
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba;
  mamba.heads = text.Size("expand", kLargestRecurrent) * llm.hidden;
  mamba.head_dim = 1;
  mamba.rank = text.Size("time_step_rank");
  ReadMambaLayers(text, llm, layers, mamba);
}

void ReadMamba2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba2;
  mamba.heads = text.Size("num_heads", kLargestRecurrent);
  mamba.head_dim = text.Size("head_dim", kLargestRecurrent);
  mamba.key_heads = text.Size("n_groups", kLargestRecurrent);
  CheckRecurrentGroups(text, "n_groups", mamba.heads, mamba.key_heads);
  const std::int64_t expand = text.Size("expand", kLargestRecurrent);
  if (text.ok() && expand * llm.hidden != mamba.Inner()) {
    text.Complain("num_heads",
                  "times head_dim is " + std::to_string(mamba.Inner()) +
                      ", not expand x hidden_size, " + std::to_string(expand * llm.hidden),
                  "");
  }
  ReadMambaLayers(text, llm, layers, mamba);
}

}  // namespace roofcast
