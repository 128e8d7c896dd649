// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/dtype.h"
#include "models/llm/config_reader.h"
#include "models/llm/quantisation/rules.h"

namespace roofcast {

// `quantization_config` of a config.json, or the object `quantization` of ModelOpt's
// hf_quant_config.json, of a model that keeps the rest in `dtype`. Understood: awq, gptq, fp8,
// fbgemm_fp8, mxfp4, modelopt and compressed-tensors. Everything else is refused by name. What
// they mean for a model: ApplyRules of models/llm/quantisation/apply.h.
std::optional<internal::QuantisationRules> ReadQuantisation(ConfigReader& config, DType dtype);
std::optional<internal::QuantisationRules> ReadModelOptQuantisation(ConfigReader& config,
                                                                    DType dtype);

}  // namespace roofcast
