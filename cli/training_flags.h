// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "core/error.h"
#include "core/text.h"
#include "models/steps/predict.h"

namespace roofcast::cli {

// What the flags of training that are no numbers say.
TrainingChoice TrainingChoiceOf(const Arguments& arguments);
// The number format that a flag names, or nothing without the flag.
std::optional<DType> DTypeFlag(const Arguments& arguments, std::string_view flag);

// The word of an enum that a flag says.
template <NamedEnum E>
E EnumFlag(const Arguments& arguments, std::string_view flag) {
  const std::string text = arguments.Get(flag);
  if (const auto value = FindEnum<E>(text)) return *value;
  throw ArgumentError("--" + std::string(flag) + ": unknown '" + Printable(text) + "'; use " +
                      JoinWithOr(EnumWords<E>()));
}

}  // namespace roofcast::cli
