// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "hardware/link.h"

namespace roofcast {

enum class TierShape : std::uint8_t {
  kSwitch,  // any peer at the device's full bandwidth
  kMesh,    // the device's links are split evenly over its peers
  kRing,    // links to two neighbours
};
template <>
struct EnumNames<TierShape> {
  static constexpr std::array<std::pair<TierShape, std::string_view>, 3> kNames = {{
      {TierShape::kSwitch, "switch"},
      {TierShape::kMesh, "mesh"},
      {TierShape::kRing, "ring"},
  }};
};

// One level of the network, joining `devices` neighbouring ranks.
struct Tier {
  std::string name;
  Link link;
  TierShape shape = TierShape::kSwitch;
  double links_per_device = 1;  // 0.25 = one NIC for four devices
  std::int64_t devices = 1;

  // What one device can send (and at the same time receive) on this tier.
  Bandwidth PerDevice() const { return link.bandwidth_per_direction * links_per_device; }
};

// Tiers from inner to outer; the last one joins the whole cluster.
struct Topology {
  std::vector<Tier> tiers;
};

// Ranks that communicate: `size` of them, `stride` apart in the numbering in which neighbours
// share the innermost tier (tp has stride 1, dp has stride tp, ...).
struct Group {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// How a group lies on one tier that it needs.
struct TierSpan {
  const Tier* tier = nullptr;
  std::int64_t members = 1;        // ranks (or inner domains) that this tier joins
  std::int64_t inner_members = 1;  // ranks of the group inside one inner domain
};

// The tiers that a group crosses, inner to outer; empty for a group of one. A group stands for all
// groups of its size and stride, of which some may lie across two nodes while others fit in one (6
// of 8 devices a node): the slowest layout is given. The group must fit in the topology.
std::vector<TierSpan> SpansOf(const Topology& topology, Group group);

}  // namespace roofcast
