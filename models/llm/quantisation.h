// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

namespace roofcast {

// `quantization_config` of a config.json, or the object `quantization` of ModelOpt's
// hf_quant_config.json. Understood: fp8 (blocks or per tensor), mxfp4, modelopt (FP8, NVFP4) and
// compressed-tensors (8-bit floats or integers). Everything else is refused by name.
std::optional<Quantisation> ReadQuantisation(ConfigReader& config);
std::optional<Quantisation> ReadModelOptQuantisation(ConfigReader& config);

}  // namespace roofcast
