// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/llm/config_reader.h"
#include "models/llm/families/families.h"

namespace roofcast {

// The language model of a config: the object that describes it, and the family that reads it.
struct LanguageModel {
  ConfigReader* text = nullptr;  // nullptr: none was found, and a problem was noted
  const Family* family = nullptr;
};

// The family of the config's model_type. Throws SpecError.
const Family& FindFamily(const ConfigNode& root, const std::string& file);

// The config itself, or what a wrapper nests, whose own model_type names the family. What both
// levels say must be the same.
LanguageModel FindLanguageModel(ConfigReader& top, const Family& family);

}  // namespace roofcast
