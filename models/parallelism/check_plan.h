// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/parallelism/plan.h"

// Checks that training and serving share, for .cpp files of parallelism/.
namespace roofcast::internal {

void RequirePositive(std::string_view name, std::int64_t value);
// Degrees against the model alone.
void CheckShape(const Llm& llm, const Plan& plan);

}  // namespace roofcast::internal
