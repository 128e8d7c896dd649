// SPDX-License-Identifier: Apache-2.0
#include "cli/training_flags.h"

#include <vector>

#include "core/dtype.h"

namespace roofcast::cli {

std::optional<DType> DTypeFlag(const Arguments& arguments, std::string_view flag) {
  if (!arguments.Has(flag)) return std::nullopt;
  const std::string text = arguments.Get(flag);
  if (const auto dtype = FindDType(text)) return dtype;
  std::vector<std::string> known;
  for (const DTypeRow& row : DTypes()) known.emplace_back(row.name);
  throw ArgumentError("--" + std::string(flag) + ": unknown number format '" + Printable(text) +
                      "'; use " + JoinWithOr(known));
}

TrainingChoice TrainingChoiceOf(const Arguments& arguments) {
  TrainingChoice choice;
  if (arguments.Has("optimizer")) choice.optimizer = EnumFlag<Optimizer>(arguments, "optimizer");
  if (arguments.Has("attention")) {
    choice.attention = EnumFlag<AttentionForm>(arguments, "attention");
  }
  choice.gradients = DTypeFlag(arguments, "gradients");
  choice.moments = DTypeFlag(arguments, "moments");
  choice.no_master = arguments.Get("master") == "none";
  if (!choice.no_master) choice.master = DTypeFlag(arguments, "master");
  return choice;
}

}  // namespace roofcast::cli
