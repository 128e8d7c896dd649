// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"
#include "models/kernels/routing.h"

namespace roofcast {

// The routed experts of one layer on one rank: tokens are put into the order of their experts,
// multiplied up (and by a gate), activated, multiplied down, weighed and put back. `tokens` are
// those of all ranks that share the experts; this rank holds experts / ep experts, a tp-th of each.
struct FusedMoe {
  std::int64_t tokens = 1;
  std::int64_t hidden = 1;
  std::int64_t inter = 1;  // width of an expert, of all its tp ranks
  std::int64_t per_token = 1;
  std::int64_t experts = 1;
  std::int64_t tp = 1;
  std::int64_t ep = 1;
  bool gated = true;  // up and gate before the activation
  Routing routing = {};
  bool backward = false;       // the gradients of the inputs and of the weights
  bool warm_weights = false;   // run again and again: weights may lie in the cache from before
  DType math = DType::kBf16;   // rate it runs at
  DType input = DType::kBf16;  // of both products
  DType weights = DType::kBf16;
  DType output = DType::kBf16;  // between operators
  DType gradients = DType::kFp32;
  double weight_overhead = 1;    // bytes of the weights with their scales over those without
  std::int64_t scale_block = 0;  // numbers of a row that share a scale of 8-bit formats; 0: all

  // Matrices of an expert, of hidden x inter / tp numbers.
  std::int64_t Matrices() const { return gated ? 3 : 2; }
  double WidthOnRank() const;

  bool operator==(const FusedMoe&) const = default;
};

// Roofline of the whole, with rows and active experts by RouteTokens:
//   work    = 2 rows hidden inter/tp matrices
//   traffic = active hidden inter/tp matrices b_w s + rows (hidden (b_x + b_out)
//             + inter/tp (b_x + (matrices-1) b_out))        the products
//             + rows (4 hidden + matrices inter/tp) b_out   into order, activation, back
// Backward multiplies twice as much (gradients by inputs and by weights [korthikanti2022]), moves
// the rows of both products and of the activation's gradient, and writes the weights' gradients.
// Source: [williams2009roofline]. Range: all sizes >= 1, per_token <= experts, tp divides inter, ep
// divides experts.
template <class T>
Cost<T> CostOf(const FusedMoe& op, const Device& device, const Coefficients<T>& coefficients);

}  // namespace roofcast
