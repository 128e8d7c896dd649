// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"

// DeepSeek and the models of its build: Kimi K2, GLM-5, GLM-4.7-Flash. Not in every file, and then
// as in the classes of transformers: tie_word_embeddings and attention_bias are false,
// moe_layer_freq is 1, a missing or null q_lora_rank of V2 means that queries are not compressed,
// and without num_nextn_predict_layers there is no MTP module.
namespace roofcast {
namespace {

struct Options {
  AttentionLayer attention;
  bool router_bias = false;
  std::int64_t mtp_modules = 0;
  bool mtp_copies_ends = true;  // embedding and head
};

void ReadDeepseekLayers(ConfigReader& text, Llm& llm, std::int64_t layers, const Options& options) {
  FfnLayer moe = ReadDeepseekMoe(text);
  moe.router_bias = options.router_bias;
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::vector<bool> has_experts = ReadMoeLayers(text, layers);
  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = options.attention;
    layer.ffn = has_experts[static_cast<std::size_t>(i)] ? moe : dense;
    return layer;
  });
  if (!built || options.mtp_modules == 0) return;
  if (options.mtp_copies_ends) {
    AddMultiTokenPrediction(llm, options.mtp_modules);
  } else {
    AddSharedEndsPrediction(llm, {llm.LayerAt(layers - 1)}, options.mtp_modules);
  }
}

// "noaux_tc" balances the experts by a learned correction of each, the others by a loss.
bool ReadRouterBias(ConfigReader& text) {
  const std::string method = text.OptionalText({"topk_method"}).value_or("noaux_tc");
  if (method == "noaux_tc") return true;
  if (method != "greedy" && method != "group_limited_greedy") {
    text.Complain("topk_method",
                  Quoted(method) + " is not understood",
                  "use noaux_tc, greedy or group_limited_greedy");
  }
  return false;
}

}  // namespace

// The first DeepSeek MoE has plain attention.
void ReadDeepseek(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Options options;
  options.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  options.attention.qkv_bias = text.Flag("attention_bias", false);
  options.attention.output_bias = options.attention.qkv_bias;
  ReadDeepseekLayers(text, llm, layers, options);
}

void ReadDeepseekV2(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Options options;
  options.attention = ReadLatentAttention(text, QueryRankRule::kOptional);
  ReadDeepseekLayers(text, llm, layers, options);
}

void ReadDeepseekV3(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Options options;
  options.attention = ReadLatentAttention(text, QueryRankRule::kSaid);
  options.router_bias = ReadRouterBias(text);
  options.mtp_modules = ReadMtpModules(text);
  ReadDeepseekLayers(text, llm, layers, options);
}

namespace {

// The MTP module has an indexer too.
void ReadIndexed(ConfigReader& text, Llm& llm, bool mtp_copies_ends) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  Options options;
  options.attention = ReadLatentAttention(text, QueryRankRule::kSaid);
  ReadIndexer(text, layers, options.attention);
  options.router_bias = ReadRouterBias(text);
  options.mtp_modules = ReadMtpModules(text);
  options.mtp_copies_ends = mtp_copies_ends;
  ReadDeepseekLayers(text, llm, layers, options);
}

}  // namespace

void ReadDeepseekV32(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadIndexed(text, llm, /*mtp_copies_ends=*/true);
}

// GLM-5: the checkpoint has no copies of embedding and head.
void ReadGlmMoeDsa(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  ReadIndexed(text, llm, /*mtp_copies_ends=*/false);
}

}  // namespace roofcast
