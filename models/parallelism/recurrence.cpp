// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/recurrence.h"

#include <algorithm>

#include "core/scalar.h"

namespace roofcast {
namespace {

double StateOperations(RecurrentKind kind) {
  const bool delta = kind == RecurrentKind::kGatedDelta || kind == RecurrentKind::kKimiDelta;
  return delta ? 7 : 5;
}

}  // namespace

Elementwise RecurrenceOn(const RecurrentLayer& layer,
                         std::int64_t tp,
                         const Pass& pass,
                         Bytes element) {
  const double tokens = Number(pass.Tokens());
  const double inner = Number(layer.Inner()) / Number(tp);
  const double state = Number(layer.StateNumbers()) / Number(tp);
  const double groups = Number(std::max<std::int64_t>(1, layer.key_heads / tp));
  // Mamba makes keys and queries (B and C) from the convolved values.
  const double keys =
      layer.kind == RecurrentKind::kMamba ? 0 : 2 * groups * Number(layer.state_dim);
  const Bytes states = 2 * Number(pass.batch) * state * Bytes(4);  // kept in fp32
  const double work = StateOperations(layer.kind) * state + 2 * Number(layer.taps) * (inner + keys);
  return {tokens * (3 * inner + keys) * element + states, Flops(tokens * work)};
}

std::int64_t NumbersSummedWithin(const RecurrentLayer& layer) {
  if (layer.kind == RecurrentKind::kMamba) return layer.rank + 2 * layer.state_dim;
  return layer.kind == RecurrentKind::kLightning ? 1 : 0;
}

}  // namespace roofcast
