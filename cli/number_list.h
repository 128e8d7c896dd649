// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace roofcast::cli {

// Most rows that one command works out.
inline constexpr std::int64_t kMostRows = 100'000;

// Whole numbers as flags take them: "8", "1,2,4", "1..8" (step 1), "0..100+20" (arithmetic),
// "1..256*2" (geometric), and lists of these. Throws ArgumentError that begins with `flag`, also
// for more than kMostRows values.
std::vector<std::int64_t> ParseNumberList(std::string_view flag, std::string_view text);

}  // namespace roofcast::cli
