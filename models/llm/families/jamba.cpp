// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/patterns.h"

// Jamba: Mamba layers, attention at attn_layer_offset of each attn_layer_period layers, experts at
// expert_layer_offset of each expert_layer_period. Not in every file, and then as in JambaConfig of
// transformers: tie_word_embeddings is false, mamba_conv_bias true, mamba_proj_bias false. Its
// class always norms step size, B and C.
namespace roofcast {
namespace {

struct Period {
  std::int64_t period = 1;
  std::int64_t offset = 0;
  bool Holds(std::int64_t layer) const { return layer % period == offset; }
};

Period ReadPeriod(ConfigReader& text, std::string_view period, std::string_view offset) {
  Period result{text.Size(period), text.OptionalCount(offset).value_or(0)};
  if (text.Find(offset) == nullptr) text.Missing(offset);
  if (text.ok() && result.offset >= result.period) {
    text.Complain(offset,
                  std::to_string(result.offset) + " is not below " + std::string(period) + ", " +
                      std::to_string(result.period),
                  "");
  }
  return result;
}

RecurrentLayer ReadMambaMixer(ConfigReader& text, const Llm& llm) {
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba;
  mamba.heads = text.Size("mamba_expand", kLargestRecurrent) * llm.hidden;
  mamba.head_dim = 1;
  mamba.state_dim = text.Size("mamba_d_state", kLargestRecurrent);
  mamba.taps = text.Size("mamba_d_conv", kLargestRecurrent);
  mamba.rank = text.Size("mamba_dt_rank");
  mamba.bias = text.Flag("mamba_proj_bias", false);
  mamba.taps_bias = text.Flag("mamba_conv_bias", true);
  mamba.inner_norms = text.Flag("mamba_inner_layernorms", true);
  text.Ignore({"use_mamba_kernels"});
  return mamba;
}

}  // namespace

void ReadJamba(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  const RecurrentLayer mamba = ReadMambaMixer(text, llm);
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const FfnLayer moe =
      MoeFfn(text, dense.width, text.Size("num_experts"), text.Size("num_experts_per_tok"));
  const Period attends = ReadPeriod(text, "attn_layer_period", "attn_layer_offset");
  const Period routes = ReadPeriod(text, "expert_layer_period", "expert_layer_offset");
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    if (attends.Holds(i)) {
      layer.attention = attention;
    } else {
      layer.attention.kind = AttentionKind::kNone;
      layer.recurrent = mamba;
    }
    // The class builds a plain feed-forward layer where there is one expert.
    layer.ffn = routes.Holds(i) && moe.experts > 1 ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
