// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/kernels/routing.h"

namespace roofcast {

// Draws that PowerLawLoad takes the mean of.
inline constexpr int kPowerLawDraws = 16;

// Rows of each expert by the public generator: loads x of a Pareto law with exponent alpha on
// [1, 0.8 tokens], or [0.01, 2] when there are no more rows than experts; scaled to tokens k rows
// and rounded; at most `tokens` each; what rounding left over by the routing's rule; the rank with
// the most rows first. `uniform` are the quantiles of the loads, one for each expert.
std::vector<std::int64_t> PowerLawCounts(std::int64_t tokens,
                                         std::int64_t per_token,
                                         std::int64_t ep,
                                         const Routing& routing,
                                         const std::vector<double>& uniform);

// Their mean load of rank 0 over kPowerLawDraws draws with fixed seeds. Each thread remembers what
// it has computed.
RoutedLoad PowerLawLoad(std::int64_t tokens,
                        std::int64_t per_token,
                        std::int64_t experts,
                        std::int64_t ep,
                        const Routing& routing);

// Adds the load of rank 0 when its `ep`th part of the experts comes first.
void AddCounts(const std::vector<std::int64_t>& counts,
               std::int64_t tokens,
               std::int64_t per_token,
               std::int64_t ep,
               RoutedLoad& load);

}  // namespace roofcast
