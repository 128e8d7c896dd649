// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "core/fields.h"
#include "core/quantity.h"
#include "hardware/topology.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kSendReceive,
};
template <>
struct EnumNames<CollectiveKind> {
  static constexpr std::array<std::pair<CollectiveKind, std::string_view>, 5> kNames = {{
      {CollectiveKind::kAllReduce, "all-reduce"},
      {CollectiveKind::kAllGather, "all-gather"},
      {CollectiveKind::kReduceScatter, "reduce-scatter"},
      {CollectiveKind::kAllToAll, "all-to-all"},
      {CollectiveKind::kSendReceive, "send/receive"},
  }};
};

// `bytes` follows nccl-tests' size: the buffer of all-reduce and send/receive, the gathered total
// of all-gather, the total input of reduce-scatter, one rank's total of all-to-all. In
// send/receive each rank hands its buffer to the next one.
struct Collective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Bytes bytes;
  Group group;
};

// Bytes that each rank sends, over `bytes`: 2 (n-1)/n for all-reduce, (n-1)/n for the others, 1
// for send/receive (nccl-tests' bus bandwidth factor) [nccl-tests-performance].
double WireFactor(CollectiveKind kind, std::int64_t ranks);

// Rings over the tiers that the group crosses:
//   t = t0 + sum over tiers of steps (members - 1) hop
//          + factor bytes / (e min over tiers of (bandwidth per device * members below))
// with steps = 2 for all-reduce and 1 otherwise. As many rings as there are members inside a node
// run side by side, so a node's NICs add up. All-to-all is bound tier by tier by the share of
// bytes that leaves the inner domain. Send/receive is one hop between the two neighbours that are
// farthest apart. A group of one costs nothing.
// Source: [patarasuk2009ring]. Range: group size >= 1, bytes >= 0.
template <class T>
Cost<T> CostOf(const Collective& op, const Topology& topology, const Coefficients<T>& coefficients);

// What one device can send to its peers of a group of `members` on a tier: all of it through a
// switch, the links to those peers alone on a mesh.
Bandwidth ReachableBandwidth(const Tier& tier, std::int64_t members);

}  // namespace roofcast
