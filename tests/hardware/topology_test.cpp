// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace roofcast {
namespace {

// Tiers that join so many devices each, from inner to outer.
Topology Tiers(const std::vector<std::int64_t>& sizes) {
  Topology topology;
  for (const std::int64_t size : sizes) {
    Tier tier;
    tier.name = "tier " + std::to_string(size);
    tier.devices = size;
    topology.tiers.push_back(tier);
  }
  return topology;
}

struct Span {
  std::int64_t devices;
  std::int64_t members;
  std::int64_t inner_members;
  bool operator==(const Span&) const = default;
};
std::vector<Span> Spans(const std::vector<std::int64_t>& sizes, Group group) {
  const Topology topology = Tiers(sizes);
  std::vector<Span> spans;
  for (const TierSpan& span : SpansOf(topology, group)) {
    spans.push_back({span.tier->devices, span.members, span.inner_members});
  }
  return spans;
}
using Expected = std::vector<Span>;

TEST_CASE("A group of one crosses nothing") {
  CHECK(Spans({8, 64}, {1, 1}).empty());
  CHECK(Spans({8, 64}, {1, 8}).empty());
  CHECK(SpansOf(Topology{}, {1, 1}).empty());
}

TEST_CASE("A group inside a node uses the inner tier alone") {
  CHECK(Spans({8, 8}, {8, 1}) == Expected{{8, 8, 1}});
  CHECK(Spans({8, 64}, {8, 1}) == Expected{{8, 8, 1}});
  CHECK(Spans({8, 64}, {2, 4}) == Expected{{8, 2, 1}});
  CHECK(Spans({8, 64}, {4, 1}) == Expected{{8, 4, 1}});
}

TEST_CASE("A group with one rank a node uses the outer tier alone") {
  CHECK(Spans({8, 32}, {4, 8}) == Expected{{32, 4, 1}});
  CHECK(Spans({8, 64}, {4, 16}) == Expected{{64, 4, 1}});
}

TEST_CASE("A group over several nodes uses both tiers") {
  CHECK(Spans({8, 16}, {16, 1}) == Expected{{8, 8, 1}, {16, 2, 8}});
  CHECK(Spans({8, 64}, {16, 4}) == Expected{{8, 2, 1}, {64, 8, 2}});
  CHECK(Spans({8, 64}, {64, 1}) == Expected{{8, 8, 1}, {64, 8, 8}});
}

TEST_CASE("A partly used last node still counts as one") {
  CHECK(Spans({8, 12}, {12, 1}) == Expected{{8, 8, 1}, {12, 2, 8}});
  CHECK(Spans({8, 20}, {20, 1}) == Expected{{8, 8, 1}, {20, 3, 8}});
  CHECK(Spans({8, 12}, {3, 4}) == Expected{{8, 2, 1}, {12, 2, 2}});
}

TEST_CASE("Pairs, nodes and the network between them are three tiers") {
  CHECK(Spans({2, 4, 16}, {2, 1}) == Expected{{2, 2, 1}});
  CHECK(Spans({2, 4, 16}, {4, 1}) == Expected{{2, 2, 1}, {4, 2, 2}});
  CHECK(Spans({2, 4, 16}, {8, 1}) == Expected{{2, 2, 1}, {4, 2, 2}, {16, 2, 4}});
  CHECK(Spans({2, 4, 16}, {2, 2}) == Expected{{4, 2, 1}});
  CHECK(Spans({2, 4, 16}, {4, 2}) == Expected{{4, 2, 1}, {16, 2, 2}});
}

TEST_CASE("Where groups don't divide a node, the one that lies across two counts") {
  // 6 of 8: ranks 6 to 11 are in two nodes. Alone on one node there is no such group.
  CHECK(Spans({8, 24}, {6, 1}) == Expected{{8, 3, 1}, {24, 2, 3}});
  CHECK(Spans({8, 8}, {6, 1}) == Expected{{8, 6, 1}});
  CHECK(Spans({8, 12}, {6, 1}) == Expected{{8, 3, 1}, {12, 2, 3}});
  // 16 in racks of 72: the fifth group, 64 to 79, is in two racks.
  CHECK(Spans({72, 144}, {16, 1}) == Expected{{72, 8, 1}, {144, 2, 8}});
  CHECK(Spans({72, 72}, {16, 1}) == Expected{{72, 16, 1}});
  CHECK(Spans({72, 144}, {8, 1}) == Expected{{72, 8, 1}});
}

TEST_CASE("A tier that joins no more than the one inside is not crossed") {
  CHECK(Spans({8, 8, 64}, {16, 1}) == Expected{{8, 8, 1}, {64, 2, 8}});
}

// Every group of the size and stride, rank by rank: the most domains that one of them touches.
std::int64_t MostDomains(Group group, std::int64_t domain, std::int64_t total) {
  std::int64_t most = 0;
  const std::int64_t block = group.size * group.stride;
  for (std::int64_t start = 0; start + block <= total; start += block) {
    for (std::int64_t shift = 0; shift < group.stride; ++shift) {
      std::set<std::int64_t> domains;
      for (std::int64_t i = 0; i < group.size; ++i) {
        domains.insert((start + shift + i * group.stride) / domain);
      }
      most = std::max(most, static_cast<std::int64_t>(domains.size()));
    }
  }
  return most;
}

TEST_CASE("Spans agree with counting ranks one by one") {
  int checked = 0;
  for (const std::int64_t domain : {2, 4, 6, 8, 12}) {
    for (std::int64_t size = 2; size <= 16; ++size) {
      for (std::int64_t stride = 1; stride <= 12; ++stride) {
        for (std::int64_t copies = 1; copies <= 3; ++copies) {
          const std::int64_t total = size * stride * copies;
          CAPTURE(domain);
          CAPTURE(size);
          CAPTURE(stride);
          CAPTURE(copies);
          const auto spans = Spans({domain, std::max(total, domain)}, {size, stride});
          const std::int64_t most = MostDomains({size, stride}, domain, total);
          const bool outer = !spans.empty() && spans.back().devices != domain;
          const bool aligned = (size * stride) % domain == 0 || domain % (size * stride) == 0;
          if (most == 1) {
            CHECK(spans == Expected{{domain, size, 1}});
          } else if (domain != total) {
            CHECK(outer);
            // Never fewer than there are; where groups divide nodes or nodes groups, as many.
            CHECK(spans.back().members >= most);
            if (aligned && domain % stride == 0) CHECK(spans.back().members == most);
          }
          std::int64_t product = 1;
          for (const Span& span : spans) product *= span.members;
          CHECK(product >= size);
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 5 * 15 * 12 * 3);
}

TEST_CASE("A device's bandwidth on a tier is that of its share of the links") {
  Tier tier;
  tier.link.bandwidth_per_direction = Bandwidth(25e9);
  tier.links_per_device = 18;
  CHECK(tier.PerDevice() == Bandwidth(450e9));
  tier.links_per_device = 0.25;
  CHECK(tier.PerDevice() == Bandwidth(6.25e9));
}

TEST_CASE("A group that is no group or doesn't fit is a fault of ours") {
  const Topology topology = Tiers({8, 16});
  CHECK_THROWS_AS(SpansOf(topology, {0, 1}), std::logic_error);
  CHECK_THROWS_AS(SpansOf(topology, {2, 0}), std::logic_error);
  CHECK_THROWS_AS(SpansOf(topology, {17, 1}), std::logic_error);
  CHECK_THROWS_AS(SpansOf(topology, {2, INT64_MAX}), std::logic_error);
  CHECK_THROWS_AS(SpansOf(Topology{}, {2, 1}), std::logic_error);
  CHECK_NOTHROW(SpansOf(topology, {16, 1}));
}

}  // namespace
}  // namespace roofcast
