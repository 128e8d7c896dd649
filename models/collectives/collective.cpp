// SPDX-License-Identifier: Apache-2.0
#include "models/collectives/collective.h"

#include <ceres/jet.h>

#include <algorithm>

namespace roofcast {
namespace {
// Seconds that the wire is busy at full link bandwidth, the slowest tier deciding.
Seconds WireTime(const Collective& op, const std::vector<TierSpan>& spans) {
  const double ranks = Number(op.group.size);
  const bool pairs = op.kind == CollectiveKind::kSendReceive;
  Seconds slowest;
  for (const TierSpan& span : spans) {
    const Bandwidth each = ReachableBandwidth(*span.tier, pairs ? 2 : span.members);
    Seconds time;
    if (op.kind == CollectiveKind::kAllToAll) {
      // Only what goes to ranks outside the inner domain uses this tier, each rank by its own port.
      const double outside = (ranks - Number(span.inner_members)) / ranks;
      time = op.bytes * outside / each;
    } else {
      const double rings = pairs ? 1 : Number(span.inner_members);
      time = op.bytes * WireFactor(op.kind, op.group.size) / (each * rings);
    }
    slowest = std::max(slowest, time);
  }
  return slowest;
}
}  // namespace

double WireFactor(CollectiveKind kind, std::int64_t ranks) {
  const double others = Number(ranks - 1) / Number(ranks);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
      return others;
    case CollectiveKind::kSendReceive:
      return ranks > 1 ? 1 : 0;
  }
  return 0;
}

Bandwidth ReachableBandwidth(const Tier& tier, std::int64_t members) {
  if (tier.shape != TierShape::kMesh || tier.devices < 2) return tier.PerDevice();
  const double peers = Number(std::min(members, tier.devices) - 1);
  return tier.PerDevice() * (peers / Number(tier.devices - 1));
}

template <class T>
Cost<T> CostOf(const Collective& op,
               const Topology& topology,
               const Coefficients<T>& coefficients) {
  Cost<T> cost;
  if (op.group.size <= 1) return cost;
  const CollectiveCoefficients<T>& c = coefficients.collective;
  const std::vector<TierSpan> spans = SpansOf(topology, op.group);
  SecondsT<T> hops;
  const double steps = op.kind == CollectiveKind::kAllReduce ? 2 : 1;
  for (const TierSpan& span : spans) {
    const bool inner = span.tier == &topology.tiers.front();
    const SecondsT<T>& hop = inner ? c.inner_hop : c.outer_hop;
    if (op.kind == CollectiveKind::kSendReceive) {
      hops = hop;  // of the widest tier that a pair is joined by
    } else {
      hops += steps * Number(span.members - 1) * hop;
    }
  }
  cost.sent = op.bytes * WireFactor(op.kind, op.group.size);
  cost.intercept = c.intercept;
  cost.network = hops + WireTime(op, spans) / c.bandwidth_efficiency;
  cost.time = cost.intercept + cost.network;
  cost.bound = Bound::kNetwork;
  return cost;
}

template Cost<double> CostOf<double>(const Collective&,
                                     const Topology&,
                                     const Coefficients<double>&);
template Cost<Dual> CostOf<Dual>(const Collective&, const Topology&, const Coefficients<Dual>&);

}  // namespace roofcast
