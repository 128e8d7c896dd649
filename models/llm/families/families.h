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

ReadFamily ReadBailingMoe;
ReadFamily ReadDbrx;
ReadFamily ReadDeepseek, ReadDeepseekV2, ReadDeepseekV3, ReadDeepseekV32;
ReadFamily ReadErnieMoe;
ReadFamily ReadFalconH1;
ReadFamily ReadGemma2, ReadGemma3, ReadGemma3Text;
ReadFamily ReadGlm4Moe, ReadGlmMoeDsa;
ReadFamily ReadGptOss;
ReadFamily ReadGraniteMoe, ReadGraniteMoeHybrid;
ReadFamily ReadHunyuanMoe;
ReadFamily ReadJamba;
ReadFamily ReadKimiLinear;
ReadFamily ReadLlama;
ReadFamily ReadMamba, ReadMamba2;
ReadFamily ReadMimoV2Flash;
ReadFamily ReadMinimax, ReadMinimaxM2;
ReadFamily ReadMistral, ReadMixtral;
ReadFamily ReadNemotronH;
ReadFamily ReadOlmoe;
ReadFamily ReadPhimoe;
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe;
ReadFamily ReadQwen3Next, ReadQwen35Text, ReadQwen35MoeText;

struct Family {
  std::string_view model_type;
  ReadFamily* read;
  bool nested = false;  // the language model stands in text_config
};

// The only list of families, sorted.
inline constexpr std::array kFamilies = {
    Family{"bailing_moe", ReadBailingMoe},
    Family{"bailing_moe_v2", ReadBailingMoe},
    Family{"dbrx", ReadDbrx},
    Family{"deepseek", ReadDeepseek},
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"deepseek_v32", ReadDeepseekV32},
    Family{"ernie4_5_moe", ReadErnieMoe},
    Family{"falcon_h1", ReadFalconH1},
    Family{"falcon_mamba", ReadMamba},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", ReadGemma3, true},
    Family{"gemma3_text", ReadGemma3Text},
    Family{"glm4_moe", ReadGlm4Moe},
    Family{"glm4_moe_lite", ReadDeepseekV3},  // the same build
    Family{"glm_moe_dsa", ReadGlmMoeDsa},
    Family{"gpt_oss", ReadGptOss},
    Family{"granitemoe", ReadGraniteMoe},
    Family{"granitemoehybrid", ReadGraniteMoeHybrid},
    Family{"granitemoeshared", ReadGraniteMoe},
    Family{"hunyuan_v1_moe", ReadHunyuanMoe},
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
    Family{"nemotron_h", ReadNemotronH},
    Family{"olmoe", ReadOlmoe},
    Family{"phimoe", ReadPhimoe},
    Family{"qwen2", ReadQwen2},
    Family{"qwen2_moe", ReadQwen2Moe},
    Family{"qwen3", ReadQwen3},
    Family{"qwen3_5_moe_text", ReadQwen35MoeText},
    Family{"qwen3_5_text", ReadQwen35Text},
    Family{"qwen3_moe", ReadQwen3Moe},
    Family{"qwen3_next", ReadQwen3Next},
};

}  // namespace roofcast
