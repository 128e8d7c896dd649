// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "models/llm/architecture.h"

namespace roofcast {

// Model FLOPs of one trained token by a named convention. `6P+12Lhs` is 6 FLOPs for each active
// parameter without the input embedding, and attention scores unhalved [chowdhery2022palm]:
//   6 P + 6 sum over layers of heads (d_k + d_v) min(s, window)     (= 12 L h s where heads d = h)
// Other conventions halve attention for causality, or leave it or the embedding out or in.
Flops TrainingFlopsPerToken(const Llm& llm, std::int64_t sequence, std::string_view convention);

inline constexpr std::string_view kDefaultFlopsConvention = "6P+12Lhs";
std::vector<std::string> FlopsConventions();

}  // namespace roofcast
