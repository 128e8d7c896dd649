// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/run.h"
#include "core/error.h"

namespace roofcast::cli {

std::string Arguments::Get(std::string_view flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::string() : found->second;
}

OutputFormat FormatOf(const Arguments& arguments) {
  if (arguments.Has("json") && arguments.Has("csv")) {
    throw ArgumentError("--json and --csv: contradict each other; keep one of them");
  }
  if (arguments.Has("json")) return OutputFormat::kJson;
  return arguments.Has("csv") ? OutputFormat::kCsv : OutputFormat::kText;
}

}  // namespace roofcast::cli
