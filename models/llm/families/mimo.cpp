// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"
#include "models/llm/families/patterns.h"

// MiMo-V2-Flash: sliding layers with heads of their own. Not in every file, and then as in its
// class: tie_word_embeddings and attention_bias are false, sinks only where the file says so. Its
// checkpoint has MTP modules that no key mentions: they are not counted.
namespace roofcast {
namespace {

AttentionLayer ReadSliding(ConfigReader& text) {
  AttentionLayer sliding;
  sliding.kind = AttentionKind::kSliding;
  sliding.heads = text.Size("swa_num_attention_heads");
  sliding.kv_heads = text.Size("swa_num_key_value_heads");
  sliding.head_dim = text.Size("swa_head_dim");
  sliding.value_dim = text.Size("swa_v_head_dim");
  sliding.window = text.Size({"sliding_window_size", "sliding_window"});
  sliding.sinks = text.Flag("add_swa_attention_sink_bias", false);
  if (text.ok() && sliding.heads % sliding.kv_heads != 0) {
    text.Complain("swa_num_key_value_heads",
                  std::to_string(sliding.kv_heads) + " does not divide swa_num_attention_heads " +
                      std::to_string(sliding.heads),
                  "");
  }
  return sliding;
}

}  // namespace

void ReadMimoV2Flash(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer full = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  full.value_dim = text.Size("v_head_dim");
  full.sinks = text.Flag("add_full_attention_sink_bias", false);
  AttentionLayer sliding = ReadSliding(text);
  full.qkv_bias = text.Flag("attention_bias", false);  // the output projection has none
  sliding.qkv_bias = full.qkv_bias;
  FfnLayer moe = ReadDeepseekMoe(text);
  moe.router_bias = true;
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const auto kinds = ReadPattern(text, "hybrid_layer_pattern", layers, {{"0", 'f'}, {"1", 's'}});
  const auto ffns = ReadPattern(text, "moe_layer_freq", layers, {{"0", 'd'}, {"1", 'm'}});
  text.Ignore({"attention_chunk_size"});  // equal to the window, and not read by the class
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = kinds[static_cast<std::size_t>(i)] == 's' ? sliding : full;
    layer.ffn = ffns[static_cast<std::size_t>(i)] == 'm' ? moe : dense;
    return layer;
  });
}

}  // namespace roofcast
