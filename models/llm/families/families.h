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

ReadFamily ReadBaichuan;
ReadFamily ReadBailingMoe;
ReadFamily ReadBert;
ReadFamily ReadBloom;
ReadFamily ReadChatglm;
ReadFamily ReadCohere, ReadCohere2;
ReadFamily ReadDbrx;
ReadFamily ReadDeepseek, ReadDeepseekV2, ReadDeepseekV3, ReadDeepseekV32;
ReadFamily ReadDistilbert;
ReadFamily ReadErnie45, ReadErnieMoe;
ReadFamily ReadExaone, ReadExaone4;
ReadFamily ReadFalcon, ReadFalconH1;
ReadFamily ReadGemma, ReadGemma2, ReadGemma3Text, ReadGemma4Text;
ReadFamily ReadGlm, ReadGlm4, ReadGlm4Moe, ReadGlmMoeDsa;
ReadFamily ReadGpt2, ReadGptBigcode, ReadGptNeox, ReadGptOss;
ReadFamily ReadGptj;
ReadFamily ReadGraniteMoe, ReadGraniteMoeHybrid;
ReadFamily ReadHunyuanDense, ReadHunyuanMoe;
ReadFamily ReadInternlm2;
ReadFamily ReadJamba;
ReadFamily ReadKimiLinear;
ReadFamily ReadLlama, ReadLlama4Text;
ReadFamily ReadMamba, ReadMamba2;
ReadFamily ReadMimoV2Flash;
ReadFamily ReadMinimax, ReadMinimaxM2;
ReadFamily ReadMinistral;
ReadFamily ReadMistral;
ReadFamily ReadMixtral;
ReadFamily ReadModernbert;
ReadFamily ReadMpt;
ReadFamily ReadNemotron, ReadNemotronH, ReadNemotronNas;
ReadFamily ReadOlmo, ReadOlmo2, ReadOlmo3;
ReadFamily ReadOlmoe;
ReadFamily ReadOpt;
ReadFamily ReadPhi, ReadPhi3;
ReadFamily ReadPhimoe;
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe, ReadQwen3Next, ReadQwen35MoeText,
    ReadQwen35Text;
ReadFamily ReadRoberta;
ReadFamily ReadSeedOss;
ReadFamily ReadSmollm3;
ReadFamily ReadStablelm;
ReadFamily ReadStarcoder2;
ReadFamily ReadVit;

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
  bool encoder = false;  // architectures names an encoder, with or without a masked-LM head
};

// The only list of families, sorted.
inline constexpr std::array kFamilies = {
    Family{"baichuan", ReadBaichuan},
    Family{"bailing_moe", ReadBailingMoe},
    Family{"bailing_moe_v2", ReadBailingMoe},
    Family{"bert", ReadBert, {}, true},
    Family{"bloom", ReadBloom},
    Family{"chatglm", ReadChatglm},
    Family{"cohere", ReadCohere},
    Family{"cohere2", ReadCohere2},
    Family{"dbrx", ReadDbrx},
    Family{"deepseek", ReadDeepseek},
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"deepseek_v32", ReadDeepseekV32},
    Family{"distilbert", ReadDistilbert, {}, true},
    Family{"ernie4_5", ReadErnie45},
    Family{"ernie4_5_moe", ReadErnieMoe},
    Family{"exaone", ReadExaone},
    Family{"exaone4", ReadExaone4},
    Family{"falcon", ReadFalcon},
    Family{"falcon_h1", ReadFalconH1},
    Family{"falcon_mamba", ReadMamba},
    Family{"gemma", ReadGemma},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", nullptr, Wrapper{"text_config", "gemma3_text", false, false, AddGemma3Tower}},
    Family{"gemma3_text", ReadGemma3Text},
    Family{"gemma4", nullptr, Wrapper{"text_config", "gemma4_text", false, false, AddGemma4Tower}},
    Family{"gemma4_text", ReadGemma4Text},
    Family{"glm", ReadGlm},
    Family{"glm4", ReadGlm4},
    Family{"glm4_moe", ReadGlm4Moe},
    Family{"glm4_moe_lite", ReadDeepseekV3},  // the same build
    Family{"glm_moe_dsa", ReadGlmMoeDsa},
    Family{"gpt2", ReadGpt2},
    Family{"gpt_bigcode", ReadGptBigcode},
    Family{"gpt_neox", ReadGptNeox},
    Family{"gpt_oss", ReadGptOss},
    Family{"gptj", ReadGptj},
    Family{"granite", ReadLlama},
    Family{"granitemoe", ReadGraniteMoe},
    Family{"granitemoehybrid", ReadGraniteMoeHybrid},
    Family{"granitemoeshared", ReadGraniteMoe},
    Family{"helium", ReadLlama},
    Family{"hunyuan_v1_dense", ReadHunyuanDense},
    Family{"hunyuan_v1_moe", ReadHunyuanMoe},
    Family{"internlm2", ReadInternlm2},
    Family{"internvl", nullptr, Wrapper{"text_config", "qwen2", true, false, AddInternVlTower}},
    Family{"internvl_chat", nullptr, Wrapper{"llm_config", "", true, false, AddInternVlTower}},
    Family{"jamba", ReadJamba},
    Family{"kimi_k2", ReadDeepseekV3},  // DeepSeek-V3 with other dims
    Family{"kimi_k25", nullptr, Wrapper{"text_config", "deepseek_v3", true, false, AddKimiTower}},
    Family{"kimi_linear", ReadKimiLinear},
    Family{"llama", ReadLlama},
    Family{"llama4", nullptr, Wrapper{"text_config", "llama4_text", false, false, AddLlama4Tower}},
    Family{"llama4_text", ReadLlama4Text},
    Family{"llava", nullptr, Wrapper{"text_config", "llama", true, false, AddLlavaTower}},
    Family{"llava_next", nullptr, Wrapper{"text_config", "llama", true, false, AddLlavaNextTower}},
    Family{"llava_onevision",
           nullptr,
           Wrapper{"text_config", "qwen2", true, false, AddLlavaOneVisionTower}},
    Family{"mamba", ReadMamba},
    Family{"mamba2", ReadMamba2},
    Family{"mimo_v2_flash", ReadMimoV2Flash},
    Family{"minimax", ReadMinimax},
    Family{"minimax_m1", ReadMinimax},
    Family{"minimax_m2", ReadMinimaxM2},
    Family{"minimax_text_01", ReadMinimax},
    Family{"ministral", ReadMinistral},
    Family{"mistral", ReadMistral},
    Family{"mistral3", nullptr, Wrapper{"text_config", "mistral", true, false, AddMistral3Tower}},
    Family{"mixtral", ReadMixtral},
    Family{"modernbert", ReadModernbert, {}, true},
    Family{"mpt", ReadMpt},
    Family{"nemotron", ReadNemotron},
    Family{"nemotron-nas", ReadNemotronNas},
    Family{"nemotron_h", ReadNemotronH},
    Family{"olmo", ReadOlmo},
    Family{"olmo2", ReadOlmo2},
    Family{"olmo3", ReadOlmo3},
    Family{"olmoe", ReadOlmoe},
    Family{"opt", ReadOpt},
    Family{"phi", ReadPhi},
    Family{"phi3", ReadPhi3},
    Family{"phimoe", ReadPhimoe},
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
    Family{"qwen3_5_moe_text", ReadQwen35MoeText},
    Family{"qwen3_5_text", ReadQwen35Text},
    Family{"qwen3_moe", ReadQwen3Moe},
    Family{"qwen3_next", ReadQwen3Next},
    Family{"qwen3_vl",
           nullptr,
           Wrapper{"text_config", "qwen3_vl_text", false, false, AddQwen3VlTower}},
    Family{"qwen3_vl_moe",
           nullptr,
           Wrapper{"text_config", "qwen3_vl_moe_text", false, false, AddQwen3VlTower}},
    Family{"qwen3_vl_moe_text", ReadQwen3Moe},
    Family{"qwen3_vl_text", ReadQwen3},
    Family{"roberta", ReadRoberta, {}, true},
    Family{"seed_oss", ReadSeedOss},
    Family{"smollm3", ReadSmollm3},
    Family{"stablelm", ReadStablelm},
    Family{"starcoder2", ReadStarcoder2},
    Family{"vit", ReadVit, {}, true},
    Family{"xlm-roberta", ReadRoberta, {}, true},
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
