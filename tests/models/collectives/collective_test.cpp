// SPDX-License-Identifier: Apache-2.0
#include "models/collectives/collective.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>

#include "hardware/cluster.h"
#include "tests/models/kernels/figures.h"

namespace roofcast {
namespace {

constexpr std::array kKinds = {CollectiveKind::kAllReduce,
                               CollectiveKind::kAllGather,
                               CollectiveKind::kReduceScatter,
                               CollectiveKind::kAllToAll,
                               CollectiveKind::kSendReceive};

double TimeOf(const Collective& op, const Topology& topology, const Coefficients<double>& c) {
  return CostOf<double>(op, topology, c).time.value();
}
double IdealTime(const Collective& op, const Topology& topology) {
  return TimeOf(op, topology, IdealCoefficients());
}

// Nodes of eight behind one switch each, a NIC of 50 GB/s for each device, NVLink of 450 GB/s.
Topology Nodes(std::int64_t nodes) {
  return LoadCluster("h100-sxm", 8 * nodes).topology;
}

constexpr double kGigabyte = 1e9;

}  // namespace

TEST_CASE("bus bandwidth factors are those that nccl-tests publishes") {
  // https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
  for (const std::int64_t n : {2, 3, 8, 16, 1000}) {
    const double others = static_cast<double>(n - 1) / static_cast<double>(n);
    CHECK(WireFactor(CollectiveKind::kAllReduce, n) == 2 * others);
    CHECK(WireFactor(CollectiveKind::kAllGather, n) == others);
    CHECK(WireFactor(CollectiveKind::kReduceScatter, n) == others);
    CHECK(WireFactor(CollectiveKind::kAllToAll, n) == others);
    CHECK(WireFactor(CollectiveKind::kSendReceive, n) == 1);
  }
  CHECK(WireFactor(CollectiveKind::kSendReceive, 1) == 0);
}

TEST_CASE("a group of one costs nothing, not even a launch") {
  for (const CollectiveKind kind : kKinds) {
    const Collective op{kind, Bytes(1e9), {1, 1}};
    CHECK(TimeOf(op, Nodes(2), RoundCoefficients()) == 0);
  }
}

TEST_CASE("a ring over one node by hand") {
  // 5 us to start, 14 steps of 1 us, 1.75 GB at 75 % of 450 GB/s.
  const Collective reduce{CollectiveKind::kAllReduce, Bytes(kGigabyte), {8, 1}};
  CHECK(TimeOf(reduce, Nodes(1), RoundCoefficients()) ==
        doctest::Approx(5e-6 + 14e-6 + 1.75e9 / 337.5e9).epsilon(1e-12));
  const Collective gather{CollectiveKind::kAllGather, Bytes(kGigabyte), {4, 2}};
  CHECK(TimeOf(gather, Nodes(1), RoundCoefficients()) ==
        doctest::Approx(5e-6 + 3e-6 + 0.75e9 / 337.5e9).epsilon(1e-12));
  const auto cost = CostOf<double>(reduce, Nodes(1), RoundCoefficients());
  CHECK(cost.sent == Bytes(1.75e9));
  CHECK(cost.bound == Bound::kNetwork);
}

TEST_CASE("rings over nodes by hand: all NICs of a node carry one group, or each its own") {
  const Coefficients<double> coefficients = RoundCoefficients();
  // 16 ranks: 15/16 of 2 GB through eight NICs of 50 GB/s, 7 + 7 and 1 + 1 steps.
  const Collective flat{CollectiveKind::kAllReduce, Bytes(kGigabyte), {16, 1}};
  CHECK(TimeOf(flat, Nodes(2), coefficients) ==
        doctest::Approx(5e-6 + 14e-6 + 20e-6 + 1.875e9 / (0.75 * 400e9)).epsilon(1e-12));
  // Data parallelism over four nodes with tp 8: one rank a node, one NIC, no step inside.
  const Collective apart{CollectiveKind::kReduceScatter, Bytes(kGigabyte), {4, 8}};
  CHECK(TimeOf(apart, Nodes(4), coefficients) ==
        doctest::Approx(5e-6 + 30e-6 + 0.75e9 / (0.75 * 50e9)).epsilon(1e-12));
  // With tp 2 four ranks of the group are in a node, and four NICs are theirs.
  const Collective quarter{CollectiveKind::kAllGather, Bytes(kGigabyte), {16, 2}};
  CHECK(TimeOf(quarter, Nodes(4), coefficients) ==
        doctest::Approx(5e-6 + 3e-6 + 30e-6 + 15.0 / 16 * 1e9 / (0.75 * 200e9)).epsilon(1e-12));
  // A hop to a neighbour stage: inside the node, and to the next one.
  const Collective near{CollectiveKind::kSendReceive, Bytes(kGigabyte), {2, 4}};
  CHECK(TimeOf(near, Nodes(2), coefficients) == doctest::Approx(6e-6 + 1 / 337.5));
  const Collective far{CollectiveKind::kSendReceive, Bytes(kGigabyte), {2, 8}};
  CHECK(TimeOf(far, Nodes(2), coefficients) == doctest::Approx(15e-6 + 1 / 37.5));
  // Four stages of four devices: the hop between the nodes is the slowest.
  const Collective line{CollectiveKind::kSendReceive, Bytes(kGigabyte), {4, 4}};
  CHECK(TimeOf(line, Nodes(2), coefficients) == TimeOf(far, Nodes(2), coefficients));
}

TEST_CASE("a mesh gives a pair one link and all eight devices seven") {
  const Topology mesh = LoadCluster("mi300x", 8).topology;
  const double link = 64e9;
  for (const std::int64_t n : {2, 4, 8}) {
    CAPTURE(n);
    const Collective op{CollectiveKind::kAllReduce, Bytes(kGigabyte), {n, 1}};
    const auto peers = static_cast<double>(n - 1);
    const double bytes = 2 * peers / static_cast<double>(n) * kGigabyte;
    CHECK(IdealTime(op, mesh) == doctest::Approx(bytes / (peers * link)).epsilon(1e-12));
  }
  // A pipeline hands on over one link, however many stages there are.
  for (const Group group : {Group{2, 4}, {8, 1}, {4, 2}}) {
    const Collective hop{CollectiveKind::kSendReceive, Bytes(kGigabyte), group};
    CHECK(IdealTime(hop, mesh) == doctest::Approx(kGigabyte / link));
  }
}

TEST_CASE("all-to-all over nodes reaches N/(N-1) times the NIC, as nccl-tests measures") {
  // https://github.com/NVIDIA/nccl-tests/issues/130: 100, 66.67 and 57.14 GB/s of 50 GB/s NICs.
  const std::map<std::int64_t, double> bandwidths = {{2, 100}, {4, 66.67}, {8, 57.14}};
  for (const auto& row : bandwidths) {
    const std::int64_t nodes = row.first;
    CAPTURE(nodes);
    const Collective op{CollectiveKind::kAllToAll, Bytes(kGigabyte), {8 * nodes, 1}};
    CHECK(kGigabyte / IdealTime(op, Nodes(nodes)) / 1e9 ==
          doctest::Approx(row.second).epsilon(1e-3));
  }
}

TEST_CASE("no all-reduce beats 2(n-1)/n of the buffer through each port") {
  // https://github.com/astra-sim/astra-sim/issues/296: 100 MB, eight ports of 50 GB/s: 3.5 ms.
  Tier tier;
  tier.link.bandwidth_per_direction = Bandwidth(50e9);
  tier.devices = 8;
  const Topology ports{{tier}};
  const Collective op{CollectiveKind::kAllReduce, Bytes(100e6), {8, 1}};
  CHECK(IdealTime(op, ports) == doctest::Approx(3.5e-3).epsilon(1e-12));
  CHECK(TimeOf(op, ports, RoundCoefficients()) > 3.5e-3);
}

TEST_CASE("a collective never gets faster with more bytes, slower with more bandwidth") {
  const Coefficients<double> coefficients = RoundCoefficients();
  for (const CollectiveKind kind : kKinds) {
    for (const Group group : {Group{2, 1}, {8, 1}, {16, 1}, {4, 8}, {6, 2}}) {
      CAPTURE(NameOf(kind));
      CAPTURE(group.size);
      const Collective op{kind, Bytes(1e7), group};
      Collective larger = op;
      larger.bytes *= 2;
      Topology wider = Nodes(4);
      for (Tier& tier : wider.tiers) tier.link.bandwidth_per_direction *= 2;
      CHECK(TimeOf(larger, Nodes(4), coefficients) >= TimeOf(op, Nodes(4), coefficients));
      CHECK(TimeOf(op, wider, coefficients) <= TimeOf(op, Nodes(4), coefficients));
      const Collective empty{kind, Bytes(0), group};
      CHECK(TimeOf(empty, Nodes(4), coefficients) > 0);
    }
  }
}

TEST_CASE("more ranks in a node never make a ring faster") {
  const Coefficients<double> coefficients = RoundCoefficients();
  for (const CollectiveKind kind : kKinds) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7}) {
      CHECK(TimeOf({kind, Bytes(1e8), {n, 1}}, Nodes(1), coefficients) <=
            TimeOf({kind, Bytes(1e8), {n + 1, 1}}, Nodes(1), coefficients));
    }
  }
}

TEST_CASE("a collective on a Jet has the double's time and the derivatives of differences") {
  const auto figures = FiguresOf(RoundCoefficients());
  for (const CollectiveKind kind : kKinds) {
    const Collective op{kind, Bytes(3e6), {kind == CollectiveKind::kSendReceive ? 2 : 32, 8}};
    const Topology topology = Nodes(32);
    const auto time = [&](const Coefficients<double>& c) { return TimeOf(op, topology, c); };
    int moving = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      CAPTURE(figures[i].name);
      const auto dual = CostOf<Dual>(op, topology, FromFigures<Dual>(figures, i)).time.value();
      CHECK(dual.a == doctest::Approx(time(RoundCoefficients())).epsilon(1e-15));
      const double difference = CentralDifference(figures, i, time);
      const double noise = 1e-15 * dual.a / (1e-5 * figures[i].value);
      CHECK(std::abs(dual.v[0] - difference) <= 1e-7 * std::abs(difference) + noise);
      moving += dual.v[0] != 0 ? 1 : 0;
    }
    CHECK(moving == 3);  // intercept, hops between nodes, bandwidth
  }
}

}  // namespace roofcast
