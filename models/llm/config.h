// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/llm/architecture.h"

namespace roofcast {

// A model from a Hugging Face config.json. Every key that shapes the model is read by name or the
// config is refused by name. There are no default dims, except those that a family's own files
// leave out (the family's file says which and why). `file` is what messages call it. Throws
// SpecError with every problem.
Llm ParseLlm(std::string_view config_json, const std::string& name, const std::string& file);

// A path to a config.json or to its folder, the id of a model ("meta-llama/Llama-3.1-70B") in the
// local Hugging Face cache, the name of a model of the zoo ("llama-3.1-70b") or one of its ids, a
// .yaml that describes a model by hand (models/llm/described/spec.h), or a .args with the arguments
// of Megatron-LM (models/llm/described/megatron.h). A hf_quant_config.json beside the config is
// read too. Throws NotFoundError or SpecError.
Llm LoadLlm(std::string_view name_or_path);

// Values of model_type that are understood, sorted.
std::vector<std::string> KnownModelTypes();

}  // namespace roofcast
