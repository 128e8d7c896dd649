// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/grid.h"
#include "cli/verb.h"
#include "models/engine.h"
#include "models/serving/engine_log.h"
#include "models/steps/admission.h"

namespace roofcast::cli {

// What the flags of `memory` say of the engine. Numbers of single rows are set by `ChoiceOf`.
struct EngineFlags {
  std::optional<Engine> engine;
  EngineChoice choice;
};
EngineFlags ReadEngineFlags(const Arguments& arguments);
EngineChoice ChoiceOf(const EngineFlags& flags, const Point& point);

// The arguments with what a start log settles where the flags don't: engine, model (only by a name
// of the catalog), plan, length, limits and fraction. Throws ArgumentError when no model is left.
Arguments WithLog(const Arguments& arguments, const EngineLog& log);

// The table of a log beside a prediction.
std::string FormatComparison(const LogComparison& comparison);

}  // namespace roofcast::cli
