// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/llm/architecture.h"

namespace roofcast {

struct ConfigText {
  std::string_view text;
  std::string place;  // what messages call it
};

// As ParseLlm of config.h, with the hf_quant_config.json that ModelOpt puts beside a config.json.
Llm ParseLlm(const ConfigText& config,
             const std::string& name,
             const std::optional<ConfigText>& quantisation);

}  // namespace roofcast
