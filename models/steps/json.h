// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "models/steps/step_time.h"

namespace roofcast {

// The documents of interfaces `roofcast/1`: what the command prints with --json and Python's
// to_dict() returns.
Json ToJson(const StepTime& step);
Json ToJson(const Node& node);
Json ToJson(const MemoryReport& memory);
Json ToJson(const ParameterCounts& parameters);

// {"schema", "version", "catalog", "fits"...}: what every document begins with.
Json DocumentHeader(const std::string& verb);

}  // namespace roofcast
