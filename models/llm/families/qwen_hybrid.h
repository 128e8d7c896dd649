// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

namespace roofcast {

// The language model of Qwen3.5, dense or with experts: `text` is its text_config, and
// `tied_when_absent` what the level above says of tie_word_embeddings.
void ReadQwen3_5Language(ConfigReader& text, Llm& llm, bool experts, bool tied_when_absent);

}  // namespace roofcast
