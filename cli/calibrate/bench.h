// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofcast::cli {

// `roofcast bench`, without that word. Returns the exit status; throws what main() reports.
int RunBench(const std::vector<std::string>& words);

}  // namespace roofcast::cli
