// SPDX-License-Identifier: Apache-2.0
#include "hardware/derived.h"

#include <doctest/doctest.h>

#include "hardware/catalog.h"
#include "hardware/cluster.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::Sandbox;

TEST_CASE("The ridge point is dense peak over memory bandwidth, for each matrix format") {
  const Sandbox sandbox;
  const Device h100 = LoadDevice("h100-sxm");
  const auto points = RidgePoints(h100);
  CHECK(points.size() == h100.peak.size());
  CHECK(points.at(DType::kBf16).value() == doctest::Approx(989.4 / 3.35));
  CHECK(points.at(DType::kFp8).value() == doctest::Approx(1978.9 / 3.35));
  CHECK(!points.contains(DType::kFp32));  // of the vector units alone
}

TEST_CASE("Peak per watt is known where the power is") {
  const Sandbox sandbox;
  Device h100 = LoadDevice("h100-sxm");
  CHECK(PeaksPerWatt(h100).at(DType::kBf16).value() == doctest::Approx(989.4e12 / 700));
  h100.power.reset();
  CHECK(PeaksPerWatt(h100).empty());
}

TEST_CASE("Reading all memory takes as long as what a program sees of it does") {
  const Sandbox sandbox;
  Device h100 = LoadDevice("h100-sxm");
  CHECK(TimeToReadMemory(h100).value() == doctest::Approx(81559.0 * 1024 * 1024 / 3.35e12));
  h100.memory.reported_capacity.reset();
  CHECK(TimeToReadMemory(h100).value() == doctest::Approx(80e9 / 3.35e12));
}

TEST_CASE("A tier is as many times slower than memory as its links of one direction say") {
  const Sandbox sandbox;
  const Cluster cluster = ClusterOf(LoadDevice("h100-sxm"), 1);
  REQUIRE(cluster.topology.tiers.size() == 2);
  CHECK(MemoryOverTier(cluster.device, cluster.topology.tiers[0]) == doctest::Approx(3350.0 / 450));
  CHECK(MemoryOverTier(cluster.device, cluster.topology.tiers[1]) == doctest::Approx(67));
}

}  // namespace
}  // namespace roofcast
