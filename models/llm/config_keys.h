// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "models/llm/config_node.h"

namespace roofcast {

// True when the name of a config.json key that no family asked for says that it may change the
// shape of a tensor or the work of a layer (sizes, counts, biases, layouts, nested models), and
// it is not known to be harmless.
bool MayShapeTheModel(std::string_view key);

// True when the key is known to leave every shape alone.
bool IsHarmless(std::string_view key);

// null, false, 0, "", [] and {}: the value of a feature that is switched off.
bool IsOff(const ConfigNode& value);

}  // namespace roofcast
