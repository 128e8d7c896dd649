// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/parallelism/plan.h"
#include "python/bindings/typed.h"

namespace roofcast::python {

// A Plan, its text, or None.
using PlanArgument = Typed<"Plan | str | None">;
std::optional<Plan> OptionalPlan(const PlanArgument& plan);

}  // namespace roofcast::python
