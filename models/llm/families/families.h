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
ReadFamily ReadBert, ReadDistilbert, ReadRoberta;
ReadFamily ReadBloom;
ReadFamily ReadChatglm, ReadGlm, ReadGlm4;
ReadFamily ReadCohere, ReadCohere2;
ReadFamily ReadDeepseekV2, ReadDeepseekV3;
ReadFamily ReadErnie45, ReadHunyuanDense, ReadMinistral, ReadSeedOss, ReadSmollm3;
ReadFamily ReadExaone, ReadExaone4;
ReadFamily ReadFalcon;
ReadFamily ReadGemma, ReadGemma2, ReadGemma3, ReadGemma3Text;
ReadFamily ReadGpt2, ReadGptBigcode, ReadGptj;
ReadFamily ReadGptNeox;
ReadFamily ReadGptOss;
ReadFamily ReadInternlm2;
ReadFamily ReadLlama;
ReadFamily ReadMistral, ReadMixtral;
ReadFamily ReadModernbert;
ReadFamily ReadMpt;
ReadFamily ReadNemotron;
ReadFamily ReadNemotronNas;
ReadFamily ReadOlmo, ReadOlmo2, ReadOlmo3;
ReadFamily ReadOpt;
ReadFamily ReadPhi, ReadPhi3;
ReadFamily ReadQwen2, ReadQwen2Moe, ReadQwen3, ReadQwen3Moe;
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
    Family{"bert", ReadBert, false, true},
    Family{"bloom", ReadBloom},
    Family{"chatglm", ReadChatglm},
    Family{"cohere", ReadCohere},
    Family{"cohere2", ReadCohere2},
    Family{"deepseek_v2", ReadDeepseekV2},
    Family{"deepseek_v3", ReadDeepseekV3},
    Family{"distilbert", ReadDistilbert, false, true},
    Family{"ernie4_5", ReadErnie45},
    Family{"exaone", ReadExaone},
    Family{"exaone4", ReadExaone4},
    Family{"falcon", ReadFalcon},
    Family{"gemma", ReadGemma},
    Family{"gemma2", ReadGemma2},
    Family{"gemma3", ReadGemma3, true},
    Family{"gemma3_text", ReadGemma3Text},
    Family{"glm", ReadGlm},
    Family{"glm4", ReadGlm4},
    Family{"gpt2", ReadGpt2},
    Family{"gpt_bigcode", ReadGptBigcode},
    Family{"gpt_neox", ReadGptNeox},
    Family{"gpt_oss", ReadGptOss},
    Family{"gptj", ReadGptj},
    Family{"granite", ReadLlama},
    Family{"helium", ReadLlama},
    Family{"hunyuan_v1_dense", ReadHunyuanDense},
    Family{"internlm2", ReadInternlm2},
    Family{"kimi_k2", ReadDeepseekV3},  // DeepSeek-V3 with other dims
    Family{"llama", ReadLlama},
    Family{"ministral", ReadMinistral},
    Family{"mistral", ReadMistral},
    Family{"mixtral", ReadMixtral},
    Family{"modernbert", ReadModernbert, false, true},
    Family{"mpt", ReadMpt},
    Family{"nemotron", ReadNemotron},
    Family{"nemotron-nas", ReadNemotronNas},
    Family{"olmo", ReadOlmo},
    Family{"olmo2", ReadOlmo2},
    Family{"olmo3", ReadOlmo3},
    Family{"opt", ReadOpt},
    Family{"phi", ReadPhi},
    Family{"phi3", ReadPhi3},
    Family{"qwen2", ReadQwen2},
    Family{"qwen2_moe", ReadQwen2Moe},
    Family{"qwen3", ReadQwen3},
    Family{"qwen3_moe", ReadQwen3Moe},
    Family{"roberta", ReadRoberta, false, true},
    Family{"seed_oss", ReadSeedOss},
    Family{"smollm3", ReadSmollm3},
    Family{"stablelm", ReadStablelm},
    Family{"starcoder2", ReadStarcoder2},
    Family{"vit", ReadVit, false, true},
    Family{"xlm-roberta", ReadRoberta, false, true},
};

}  // namespace roofcast
