// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/llm/config_reader.h"
#include "models/llm/quantisation/rules.h"
#include "models/llm/tensors.h"

namespace roofcast::internal {

// The one place that decides which tensors of a model are stored how: sets `llm.quantisation` and
// the storage of every layer. A rule that names nothing of the model, unless it is a module that
// stays as it is anyway, is a problem, and so is a group that doesn't divide the inputs.
void ApplyRules(const QuantisationRules& rules, ConfigReader& config, Llm& llm);

// Stores each tensor as `format` says: an index of `formats`, or nothing for as it is. Layer -1
// holds the tensors outside the layers, and LayerCount() an MTP module. Layers that differ in this
// become different kinds.
using ChooseFormat = std::function<std::optional<std::int32_t>(std::int64_t layer, const Tensor&)>;
void StoreBy(Quantisation quantisation, const ChooseFormat& format, Llm& llm);

}  // namespace roofcast::internal
