// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace roofcast {
namespace {

// How a group lies in the domains of one tier.
struct Lay {
  std::int64_t domains;  // that it touches
  std::int64_t inside;   // its ranks in one of them
};

std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The group stands for all groups of its size and stride: they start at every multiple of
// size * stride, plus 0 to stride - 1. Where these don't divide a domain, groups lie differently in
// it; the one that touches most domains is the slowest, and its layout is given.
Lay LayOf(Group group, std::int64_t domain, std::int64_t total) {
  const std::int64_t block = group.size * group.stride;
  if (total <= domain) return {1, group.size};
  if (block <= domain) {
    const std::int64_t first_torn = domain / block;
    const bool torn = domain % block != 0 && (first_torn + 1) * block <= total;
    if (!torn) return {1, group.size};
    return {2, DivideUp(group.size, 2)};
  }
  if (group.stride >= domain) return {group.size, 1};
  // Latest start within a domain: the later, the more domains follow.
  const std::int64_t step = std::gcd(block, domain);
  const std::int64_t start =
      total < 2 * block ? group.stride - 1 : domain - step + std::min(step, group.stride) - 1;
  const std::int64_t domains = (start + (group.size - 1) * group.stride) / domain + 1;
  return {std::min({domains, group.size, DivideUp(total, domain)}), domain / group.stride};
}

}  // namespace

std::vector<TierSpan> SpansOf(const Topology& topology, Group group) {
  ROOFCAST_CHECK(group.size >= 1 && group.stride >= 1);
  std::vector<TierSpan> spans;
  if (group.size == 1) return spans;
  ROOFCAST_CHECK(!topology.tiers.empty());
  const std::int64_t total = topology.tiers.back().devices;
  ROOFCAST_CHECK(group.size - 1 <= (total - 1) / group.stride);
  Lay inner{group.size, 1};  // each rank on its own
  for (const Tier& tier : topology.tiers) {
    if (inner.domains == 1) break;
    const Lay lay = LayOf(group, tier.devices, total);
    if (lay.domains >= inner.domains) continue;
    spans.push_back(
        {&tier,
         std::max(DivideUp(lay.inside, inner.inside), DivideUp(inner.domains, lay.domains)),
         inner.inside});
    inner = lay;
  }
  return spans;
}

}  // namespace roofcast
