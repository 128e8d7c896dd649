// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofcast::cli {

// `series FILE... --device NAME [--family F] [--format F] [--regimes] [--rows FILE]`: fits each
// series of the tables and prints its errors and coefficients.
int RunSeries(const std::vector<std::string>& words);

}  // namespace roofcast::cli
