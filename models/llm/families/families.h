// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

namespace roofcast {

// Fills the layer table from the keys of a family. `top` is the whole config and `text` the object
// that describes the language model: the same, or `text_config` in it. Name, place, model_type,
// dtype, maximal length and quantisation are set already. On problems the table may stay empty.
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
ReadFamily ReadGemma, ReadGemma2, ReadGemma3, ReadGemma3Text;
ReadFamily ReadGlm, ReadGlm4, ReadGlm4Moe, ReadGlmMoeDsa;
ReadFamily ReadGpt2, ReadGptBigcode, ReadGptNeox, ReadGptOss;
ReadFamily ReadGptj;
ReadFamily ReadGraniteMoe, ReadGraniteMoeHybrid;
ReadFamily ReadHunyuanDense, ReadHunyuanMoe;
ReadFamily ReadInternlm2;
ReadFamily ReadJamba;
ReadFamily ReadKimiLinear;
ReadFamily ReadLlama;
ReadFamily ReadMamba, ReadMamba2;
ReadFamily ReadMimoV2Flash;
ReadFamily ReadMinimax, ReadMinimaxM2;
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
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe, ReadQwen3Next, ReadQwen3_5MoeText,
    ReadQwen3_5Text;
ReadFamily ReadRoberta;
ReadFamily ReadSeedOss;
ReadFamily ReadSmollm3;
ReadFamily ReadStablelm;
ReadFamily ReadStarcoder2;
ReadFamily ReadVit;

struct Family {
  std::string_view model_type;
  ReadFamily* read;
  bool nested = false;   // the language model stands in text_config
  bool encoder = false;  // architectures names an encoder, with or without a masked-LM head
};

// The only list of families, sorted.
inline constexpr std::array kFamilies = {
    Family{"baichuan", ReadBaichuan},
    Family{"bailing_moe", ReadBailingMoe},
    Family{"bailing_moe_v2", ReadBailingMoe},
    Family{"bert", ReadBert, false, true},
    Family{"bloom", ReadBloom},
    Family{"chatglm", ReadChatglm},
    Family{"cohere", ReadCohere},
    Family{"cohere2", ReadCohere2},
    Family{"dbrx", ReadDbrx},
    Family{"deepseek", ReadDeepseek},
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"deepseek_v32", ReadDeepseekV32},
    Family{"distilbert", ReadDistilbert, false, true},
    Family{"ernie4_5", ReadErnie45},
    Family{"ernie4_5_moe", ReadErnieMoe},
    Family{"exaone", ReadExaone},
    Family{"exaone4", ReadExaone4},
    Family{"falcon", ReadFalcon},
    Family{"falcon_h1", ReadFalconH1},
    Family{"falcon_mamba", ReadMamba},
    Family{"gemma", ReadGemma},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", ReadGemma3, true},
    Family{"gemma3_text", ReadGemma3Text},
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
    Family{"jamba", ReadJamba},
    Family{"kimi_k2", ReadDeepseekV3},  // DeepSeek-V3 with other dims
    Family{"kimi_linear", ReadKimiLinear},
    Family{"llama", ReadLlama},
    Family{"mamba", ReadMamba},
    Family{"mamba2", ReadMamba2},
    Family{"mimo_v2_flash", ReadMimoV2Flash},
    Family{"minimax", ReadMinimax},
    Family{"minimax_m1", ReadMinimax},
    Family{"minimax_m2", ReadMinimaxM2},
    Family{"minimax_text_01", ReadMinimax},
    Family{"mistral", ReadMistral},
    Family{"mixtral", ReadMixtral},
    Family{"modernbert", ReadModernbert, false, true},
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
    Family{"qwen2_moe", ReadQwen2Moe},
    Family{"qwen3", ReadQwen3},
    Family{"qwen3_5_moe_text", ReadQwen3_5MoeText},
    Family{"qwen3_5_text", ReadQwen3_5Text},
    Family{"qwen3_moe", ReadQwen3Moe},
    Family{"qwen3_next", ReadQwen3Next},
    Family{"roberta", ReadRoberta, false, true},
    Family{"seed_oss", ReadSeedOss},
    Family{"smollm3", ReadSmollm3},
    Family{"stablelm", ReadStablelm},
    Family{"starcoder2", ReadStarcoder2},
    Family{"vit", ReadVit, false, true},
    Family{"xlm-roberta", ReadRoberta, false, true},
};

}  // namespace roofcast
