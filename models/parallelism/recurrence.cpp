// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/recurrence.h"

#include <algorithm>

namespace roofcast {
namespace {

ScanRule RuleOf(RecurrentKind kind) {
  if (kind == RecurrentKind::kMamba) return ScanRule::kChannels;
  const bool delta = kind == RecurrentKind::kGatedDelta || kind == RecurrentKind::kKimiDelta;
  return delta ? ScanRule::kDelta : ScanRule::kDecay;
}

}  // namespace

StateScan RecurrenceOn(const RecurrentLayer& layer,
                       std::int64_t tp,
                       const Pass& pass,
                       const Precision& precision) {
  StateScan scan;
  scan.rule = RuleOf(layer.kind);
  scan.batch = pass.batch;
  scan.tokens = pass.queries;
  scan.heads = layer.heads / tp;
  scan.head_dim = layer.head_dim;
  scan.groups = std::max<std::int64_t>(1, layer.key_heads / tp);
  scan.state_dim = layer.state_dim;
  scan.taps = layer.taps;
  // Its products aren't quantised with those of the weights.
  scan.math = precision.residual;
  scan.io = precision.residual;
  return scan;
}

std::int64_t NumbersSummedWithin(const RecurrentLayer& layer) {
  if (layer.kind == RecurrentKind::kMamba) return layer.rank + 2 * layer.state_dim;
  return layer.kind == RecurrentKind::kLightning ? 1 : 0;
}

}  // namespace roofcast
