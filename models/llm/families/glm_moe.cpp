// SPDX-License-Identifier: Apache-2.0
#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"
#include "models/llm/families/latent.h"

// GLM-4.5 to 4.7. Not in every file, and then as in Glm4MoeConfig of transformers:
// tie_word_embeddings, attention_bias and use_qk_norm are false. The output projection never has a
// bias; every router has a correction of each expert. The MTP module of GLM-4.6 leaves the copies
// of embedding and head out (a total of 356785898816), which no key says: it is counted with them.
namespace roofcast {

void ReadGlm4Moe(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kGiven);
  attention.qkv_bias = text.Flag("attention_bias", false);
  if (text.Flag("use_qk_norm", false)) attention.query_key_norm = QueryKeyNorm::kHead;
  FfnLayer moe = ReadDeepseekMoe(text);
  moe.router_bias = true;
  const FfnLayer dense = DenseFfn(text.Size("intermediate_size"));
  const std::vector<bool> has_experts = ReadMoeLayers(text, layers);
  const std::int64_t modules = ReadMtpModules(text);
  const bool built = AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = attention;
    layer.ffn = has_experts[static_cast<std::size_t>(i)] ? moe : dense;
    return layer;
  });
  if (built && modules > 0) AddMultiTokenPrediction(llm, modules);
}

}  // namespace roofcast
