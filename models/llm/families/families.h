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

ReadFamily ReadDeepseekV2, ReadDeepseekV3;
ReadFamily ReadGemma2, ReadGemma3, ReadGemma3Text;
ReadFamily ReadGptOss;
ReadFamily ReadLlama;
ReadFamily ReadMistral, ReadMixtral;
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe;

struct Family {
  std::string_view model_type;
  ReadFamily* read;
  bool nested = false;  // the language model stands in text_config
};

// The only list of families, sorted.
inline constexpr std::array kFamilies = {
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", ReadGemma3, true},
    Family{"gemma3_text", ReadGemma3Text},
    Family{"gpt_oss", ReadGptOss},
    Family{"kimi_k2", ReadDeepseekV3},  // DeepSeek-V3 with other dims
    Family{"llama", ReadLlama},
    Family{"mistral", ReadMistral},
    Family{"mixtral", ReadMixtral},
    Family{"qwen2", ReadQwen2},
    Family{"qwen2_moe", ReadQwen2Moe},
    Family{"qwen3", ReadQwen3},
    Family{"qwen3_moe", ReadQwen3Moe},
};

}  // namespace roofcast
