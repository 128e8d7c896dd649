// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"
#include "models/llm/towers/towers.h"

namespace roofcast {

// Fills the layer table from the keys of a family. `top` is the whole config and `text` the object
// that describes the language model: the same, or one nested in it. Name, place, model_type,
// dtype, maximal length and quantisation are set already, and a tie_word_embeddings beside the
// nested object is minded afterwards. On problems the table may stay empty.
using ReadFamily = void(ConfigReader& text, ConfigReader& top, Llm& llm);

ReadFamily ReadDeepseekV2, ReadDeepseekV3;
ReadFamily ReadGemma2, ReadGemma3Text, ReadGemma4Text;
ReadFamily ReadGptOss;
ReadFamily ReadLlama, ReadLlama4Text;
ReadFamily ReadMistral, ReadMixtral;
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe;

// A model that also sees: its config nests a language model, which the family of the nested
// model_type reads, beside the description of a vision tower.
struct Wrapper {
  std::string_view nest;     // the key of the language model
  std::string_view inner;    // the nested model_type that the class takes when the file says none
  bool any_inner = false;    // the class builds whatever model_type says; else `inner` alone
  bool may_be_flat = false;  // older files keep the language model's keys at the top
  ReadTower* read_tower = nullptr;
};

struct Family {
  std::string_view model_type;
  ReadFamily* read = nullptr;           // of a language model
  std::optional<Wrapper> wrapper = {};  // or where the language model is
};

// The only list of families, sorted.
inline constexpr std::array kFamilies = {
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", nullptr, Wrapper{"text_config", "gemma3_text", false, false, AddGemma3Tower}},
    Family{"gemma3_text", ReadGemma3Text},
    Family{"gemma4", nullptr, Wrapper{"text_config", "gemma4_text", false, false, AddGemma4Tower}},
    Family{"gemma4_text", ReadGemma4Text},
    Family{"gpt_oss", ReadGptOss},
    Family{"internvl", nullptr, Wrapper{"text_config", "qwen2", true, false, AddInternVlTower}},
    Family{"internvl_chat", nullptr, Wrapper{"llm_config", "", true, false, AddInternVlTower}},
    Family{"kimi_k2", ReadDeepseekV3},  // DeepSeek-V3 with other dims
    Family{"kimi_k25", nullptr, Wrapper{"text_config", "deepseek_v3", true, false, AddKimiTower}},
    Family{"llama", ReadLlama},
    Family{"llama4", nullptr, Wrapper{"text_config", "llama4_text", false, false, AddLlama4Tower}},
    Family{"llama4_text", ReadLlama4Text},
    Family{"llava", nullptr, Wrapper{"text_config", "llama", true, false, AddLlavaTower}},
    Family{"llava_next", nullptr, Wrapper{"text_config", "llama", true, false, AddLlavaNextTower}},
    Family{"llava_onevision",
           nullptr,
           Wrapper{"text_config", "qwen2", true, false, AddLlavaOneVisionTower}},
    Family{"mistral", ReadMistral},
    Family{"mistral3", nullptr, Wrapper{"text_config", "mistral", true, false, AddMistral3Tower}},
    Family{"mixtral", ReadMixtral},
    Family{"qwen2", ReadQwen2},
    Family{"qwen2_5_vl",
           nullptr,
           Wrapper{"text_config", "qwen2_5_vl_text", false, true, AddQwen25VlTower}},
    Family{"qwen2_5_vl_text", ReadQwen2},
    Family{"qwen2_moe", ReadQwen2Moe},
    Family{
        "qwen2_vl", nullptr, Wrapper{"text_config", "qwen2_vl_text", false, true, AddQwen2VlTower}},
    Family{"qwen2_vl_text", ReadQwen2},
    Family{"qwen3", ReadQwen3},
    Family{
        "qwen3_5", nullptr, Wrapper{"text_config", "qwen3_5_text", false, false, AddQwen35Tower}},
    Family{"qwen3_5_moe",
           nullptr,
           Wrapper{"text_config", "qwen3_5_moe_text", false, false, AddQwen35Tower}},
    Family{"qwen3_moe", ReadQwen3Moe},
    Family{"qwen3_vl",
           nullptr,
           Wrapper{"text_config", "qwen3_vl_text", false, false, AddQwen3VlTower}},
    Family{"qwen3_vl_moe",
           nullptr,
           Wrapper{"text_config", "qwen3_vl_moe_text", false, false, AddQwen3VlTower}},
    Family{"qwen3_vl_moe_text", ReadQwen3Moe},
    Family{"qwen3_vl_text", ReadQwen3},
};

// Known to be more than the layer table can say.
struct RefusedFamily {
  std::string_view model_type;
  std::string_view reason;
};
inline constexpr std::array kRefusedFamilies = {
    RefusedFamily{"gemma3n", "per-layer embeddings, AltUp and Laurel are not modelled"},
    RefusedFamily{"gemma3n_text", "per-layer embeddings, AltUp and Laurel are not modelled"},
    RefusedFamily{"mllama", "layers that attend to an image (cross-attention) are not modelled"},
    RefusedFamily{"mllama_text_model",
                  "layers that attend to an image (cross-attention) are not modelled"},
    RefusedFamily{"qwen2_5_omni", "its audio encoder, talker and vocoder are not modelled"},
    RefusedFamily{"qwen3_omni_moe", "its audio encoder, talker and vocoder are not modelled"},
};

}  // namespace roofcast
