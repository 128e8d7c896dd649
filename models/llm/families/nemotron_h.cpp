// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"
#include "models/llm/families/patterns.h"

// Nemotron-H and Nemotron 3: each layer is one of Mamba-2 (M), attention (*), feed-forward (-) or
// experts (E), with one norm. Nothing is gated (squared ReLU). Not in every file, and then as in
// NemotronHConfig of transformers: tie_word_embeddings, attention_bias, mlp_bias and use_bias are
// false, use_conv_bias is true, an absent or null moe_latent_size means that experts work in the
// hidden size, and without num_nextn_predict_layers there is no MTP module.
namespace roofcast {
namespace {

struct Parts {
  RecurrentLayer mamba;
  AttentionLayer attention;
  FfnLayer dense;
  FfnLayer moe;
};

// The letters of a text pattern, or of the list that newer versions write.
std::vector<char> ReadLetters(ConfigReader& text,
                              std::string_view pattern_key,
                              std::string_view list_key) {
  if (!text.Given(pattern_key) && text.Given(list_key)) {
    const ConfigNode* list = text.Find(list_key);
    return ReadPattern(text,
                       list_key,
                       list->IsList() ? static_cast<std::int64_t>(list->items.size()) : 1,
                       {{"mamba", 'M'},
                        {"linear_attention", 'M'},
                        {"attention", '*'},
                        {"full_attention", '*'},
                        {"mlp", '-'},
                        {"moe", 'E'}});
  }
  if (!text.Given(pattern_key)) text.Missing(pattern_key, "add it: one letter a layer");
  const std::string pattern = text.OptionalText({pattern_key}).value_or("M");
  const std::size_t unknown = pattern.find_first_not_of("M*-E");
  if (unknown != std::string::npos) {
    text.Complain(pattern_key,
                  "letter " + std::to_string(unknown + 1) + " is not understood",
                  "known: M (Mamba-2), * (attention), - (feed-forward) or E (experts)");
  }
  return {pattern.begin(), pattern.end()};
}

RecurrentLayer ReadMambaMixer(ConfigReader& text) {
  RecurrentLayer mamba;
  mamba.kind = RecurrentKind::kMamba2;
  mamba.heads = text.Size("mamba_num_heads", kLargestRecurrent);
  mamba.head_dim = text.Size("mamba_head_dim", kLargestRecurrent);
  mamba.key_heads = text.Size(ConfigReader::Keys{"n_groups", "mamba_n_groups"}, kLargestRecurrent);
  mamba.state_dim = text.Size("ssm_state_size", kLargestRecurrent);
  mamba.taps = text.Size(ConfigReader::Keys{"conv_kernel", "mamba_d_conv"}, kLargestRecurrent);
  mamba.bias = text.Flag("use_bias", false);
  mamba.taps_bias =
      text.Flag(text.Given("mamba_conv_bias") ? "mamba_conv_bias" : "use_conv_bias", true);
  CheckRecurrentGroups(text, "n_groups", mamba.heads, mamba.key_heads);
  text.Ignore({"chunk_size",
               "mamba_chunk_size",
               "mamba_dt_init_floor",
               "mamba_dt_limit",
               "mamba_dt_max",
               "mamba_dt_min",
               "mamba_expand",
               "mamba_hidden_act",
               "mamba_ssm_cache_dtype",
               "rescale_prenorm_residual",
               "time_step_floor",
               "time_step_limit",
               "time_step_max",
               "time_step_min",
               "use_mamba_kernels"});
  return mamba;
}

FfnLayer ReadMoe(ConfigReader& text) {
  FfnLayer moe = MoeFfn(text,
                        text.Size("moe_intermediate_size"),
                        text.Size({"n_routed_experts", "num_local_experts"}),
                        text.Size("num_experts_per_tok"));
  moe.gated = false;
  moe.router_bias = true;
  moe.expert_hidden = text.OptionalSize({"moe_latent_size"}).value_or(0);
  // One shared expert of this width; the class reads no number of them.
  if (text.OptionalCount("n_shared_experts").value_or(1) > 1) {
    text.Complain("n_shared_experts", "only one is understood", "");
  }
  moe.shared_width = text.Size("moe_shared_expert_intermediate_size");
  return moe;
}

Layer LayerOf(char letter, const Parts& parts) {
  Layer layer;
  layer.norms = 1;
  layer.attention.kind = AttentionKind::kNone;
  if (letter == 'M') layer.recurrent = parts.mamba;
  if (letter == '*') layer.attention = parts.attention;
  if (letter == '-') layer.ffn = parts.dense;
  if (letter == 'E') layer.ffn = parts.moe;
  return layer;
}

Parts ReadParts(ConfigReader& text, const Llm& llm, const std::vector<char>& letters) {
  const auto has = [&](char letter) {
    return std::find(letters.begin(), letters.end(), letter) != letters.end();
  };
  Parts parts;
  // Newer versions of the class write every key, whether a layer has the part or not.
  text.Ignore({"intermediate_size",
               "moe_intermediate_size",
               "moe_latent_size",
               "moe_shared_expert_intermediate_size",
               "moe_shared_expert_overlap",
               "n_routed_experts",
               "n_shared_experts",
               "num_experts_per_tok"});
  if (has('M')) parts.mamba = ReadMambaMixer(text);
  // Older files call the head size attention_head_dim.
  const bool old = !text.Given("head_dim") && text.Given("attention_head_dim");
  const std::int64_t head_dim = text.Size(old ? "attention_head_dim" : "head_dim");
  parts.attention =
      ReadGroupedAttention(text, llm, old ? HeadDimRule::kDerived : HeadDimRule::kGiven);
  parts.attention.head_dim = head_dim;
  parts.attention.value_dim = head_dim;
  parts.attention.qkv_bias = text.Flag("attention_bias", false);
  parts.attention.output_bias = parts.attention.qkv_bias;
  const bool bias = text.Flag("mlp_bias", false);
  if (has('-')) parts.dense = DenseFfn(text.Size("intermediate_size"));
  parts.dense.gated = false;
  parts.dense.bias = bias;
  if (has('E')) parts.moe = ReadMoe(text);
  if (bias && has('E')) text.Complain("mlp_bias", "experts with a bias are not understood", "");
  return parts;
}

}  // namespace

void ReadNemotronH(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", false);
  const auto letters = ReadLetters(text, "hybrid_override_pattern", "layers_block_type");
  const auto layers = static_cast<std::int64_t>(letters.size());
  if (text.Given("num_hidden_layers") && ReadLayerCount(text) != layers && text.ok()) {
    text.Complain(
        "hybrid_override_pattern",
        std::to_string(layers) + " entries for " + std::to_string(ReadLayerCount(text)) + " layers",
        "give one entry a layer");
  }
  const std::int64_t modules = ReadMtpModules(text);
  std::vector<char> mtp;
  if (modules > 0) {
    mtp = ReadLetters(text, "mtp_hybrid_override_pattern", "mtp_layers_block_type");
  }
  text.Ignore({"mtp_hybrid_override_pattern", "mtp_layers_block_type"});
  std::vector<char> all = letters;
  all.insert(all.end(), mtp.begin(), mtp.end());
  const Parts parts = ReadParts(text, llm, all);
  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    return LayerOf(letters[static_cast<std::size_t>(i)], parts);
  });
  if (!built || modules == 0) return;
  std::vector<Layer> predicted;
  predicted.reserve(mtp.size());
  for (const char letter : mtp) predicted.push_back(LayerOf(letter, parts));
  AddSharedEndsPrediction(llm, predicted, modules);
}

}  // namespace roofcast
