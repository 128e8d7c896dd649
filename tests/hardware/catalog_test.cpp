// SPDX-License-Identifier: Apache-2.0
// Every file of the built-in catalog.
#include "hardware/catalog.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/fields_equal.h"
#include "core/spec_reader.h"
#include "core/spec_writer.h"
#include "core/text.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::Sandbox;

std::vector<Device> Devices() {
  std::vector<Device> devices;
  for (const CatalogName& entry : ListDevices()) devices.push_back(LoadDevice(entry.name));
  return devices;
}

TEST_CASE("Every file of the catalog loads and is clean") {
  const Sandbox sandbox;
  std::size_t files = 0;
  for (const CatalogKind kind :
       {CatalogKind::kAccelerators, CatalogKind::kLinks, CatalogKind::kClusters}) {
    for (const CatalogFile& file : ListCatalog(kind)) {
      CAPTURE(file.place);
      CHECK(file.built_in);
      ++files;
      for (const Problem& problem : LintFile(file)) FAIL_CHECK(Format(problem));
    }
  }
  CHECK(files >= 200);
}

// Reads `spec` back from what is written of it.
template <class S>
void CheckRoundTrip(const S& spec) {
  const std::string written = WriteSpec(spec);
  CAPTURE(written);
  S back;
  REQUIRE_NOTHROW(back = ReadSpec<S>(ParseYaml(written, "written"), BuiltInReferences()));
  CHECK(SameFields(back, spec));
  REQUIRE(back.sources.size() == spec.sources.size());
  for (const auto& [path, source] : spec.sources) {
    const auto found = back.sources.find(path);
    REQUIRE(found != back.sources.end());
    CHECK(found->second.key == source.key);
    CHECK(found->second.kind == source.kind);
    CHECK(found->second.note == source.note);
  }
}

TEST_CASE("Every spec of the catalog is written and read back the same") {
  const Sandbox sandbox;
  for (const Device& device : Devices()) CheckRoundTrip(device);
  for (const CatalogName& entry : ListLinks()) CheckRoundTrip(LoadLink(entry.name));
  for (const CatalogName& entry : ListClusters()) CheckRoundTrip(LoadClusterSpec(entry.name));
}

TEST_CASE("Every figure of a device has a source with its place") {
  const Sandbox sandbox;
  for (const Device& device : Devices()) {
    CAPTURE(device.name);
    // Year, units, capacity and bandwidth are always there.
    std::size_t figures = 4 + device.peak.size() + device.vector_peak.size();
    figures += device.clock ? 1 : 0;
    figures += device.power ? 1 : 0;
    figures += device.price ? 1 : 0;
    figures += device.memory.reported_capacity ? 1 : 0;
    if (device.last_level_cache) figures += device.last_level_cache->bandwidth ? 2 : 1;
    CHECK(device.sources.size() == figures);
    for (const auto& source : device.sources) {
      CAPTURE(source.first);
      CHECK(source.second.place.file == device.file);
      CHECK(source.second.place.line > 0);
      CHECK(BuiltInReferences().contains(source.second.key));
    }
  }
}

template <class S>
void CheckAssumed(const S& spec) {
  CAPTURE(spec.name);
  for (const auto& entry : spec.sources) {
    if (entry.second.key != "recalled") continue;
    CAPTURE(entry.first);
    CHECK(entry.second.kind == SourceKind::kAssumed);
    CHECK(!entry.second.note.empty());
  }
}

TEST_CASE("What was recalled and not read is shown as assumed, with a note") {
  const Sandbox sandbox;
  for (const Device& device : Devices()) CheckAssumed(device);
  for (const CatalogName& entry : ListLinks()) CheckAssumed(LoadLink(entry.name));
  for (const CatalogName& entry : ListClusters()) CheckAssumed(LoadClusterSpec(entry.name));
}

TEST_CASE("Every name and alias is one device's, link's or cluster's alone, and finds it") {
  const Sandbox sandbox;
  std::set<std::string> rentable;  // devices and clusters share --cluster
  for (const auto& list : {ListDevices(), ListClusters()}) {
    for (const CatalogName& entry : list) {
      CHECK(rentable.insert(NormaliseName(entry.name)).second);
      for (const std::string& alias : entry.aliases) {
        CAPTURE(alias);
        CHECK(rentable.insert(NormaliseName(alias)).second);
      }
    }
  }
  for (const CatalogName& entry : ListDevices()) {
    for (const std::string& alias : entry.aliases) CHECK(LoadDevice(alias).name == entry.name);
  }
  for (const CatalogName& entry : ListClusters()) {
    for (const std::string& alias : entry.aliases) {
      CAPTURE(alias);
      CHECK(LoadClusterSpec(alias).name == entry.name);
      CHECK(LoadCluster(alias).node.name == entry.name);
    }
  }
  std::set<std::string> links;
  for (const CatalogName& entry : ListLinks()) {
    CHECK(links.insert(NormaliseName(entry.name)).second);
    for (const std::string& alias : entry.aliases) {
      CHECK(links.insert(NormaliseName(alias)).second);
      CHECK(LoadLink(alias).name == entry.name);
    }
  }
}

TEST_CASE("Peaks are in the order that fewer bits give") {
  const Sandbox sandbox;
  // Of CDNA1 BF16 is half as fast as FP16; Gaudi 3 has hardly any FP16.
  const std::set<std::string> uneven = {"mi100", "gaudi3"};
  for (const Device& device : Devices()) {
    CAPTURE(device.name);
    const auto ordered = [&](DType slow, DType fast) {
      if (!device.Supports(slow) || !device.Supports(fast)) return;
      CAPTURE(NameOf(slow));
      CAPTURE(NameOf(fast));
      CHECK(device.PeakOf(fast) >= device.PeakOf(slow));
    };
    ordered(DType::kFp32, DType::kTf32);
    ordered(DType::kFp32, DType::kBf16);
    ordered(DType::kTf32, DType::kBf16);
    // Not int8: Blackwell Ultra gave most of it up.
    ordered(DType::kBf16, DType::kFp8);
    ordered(DType::kFp8, DType::kFp6);
    ordered(DType::kFp8, DType::kFp4);
    if (device.Supports(DType::kFp16) && device.Supports(DType::kBf16)) {
      const bool even = device.PeakOf(DType::kFp16) == device.PeakOf(DType::kBf16);
      CHECK(even != uneven.contains(device.name));
    }
  }
}

TEST_CASE("Figures of devices are where real devices are") {
  const Sandbox sandbox;
  for (const Device& device : Devices()) {
    CAPTURE(device.name);
    CHECK(device.launch_year >= 2015);
    CHECK(device.launch_year <= 2030);
    CHECK(device.compute_units <= 512);
    // The least are a memory chip and a board of four small cores.
    CHECK(device.memory.capacity >= Bytes(1e9));
    CHECK(device.memory.bandwidth >= Bandwidth(17e9));
    CHECK(device.memory.bandwidth <= Bandwidth(30e12));
    CHECK(device.memory.Visible() <= device.memory.capacity * 1.1);
    CHECK(device.VectorPeak() >= FlopRate(0.1e12));
    CHECK(device.VectorPeak() <= FlopRate(400e12));
    if (device.clock) {
      CHECK(*device.clock >= Hertz(1e9));
      CHECK(*device.clock <= Hertz(5e9));
    }
    // The fastest rate over the memory's is between tens and thousands of FLOP a byte, but where
    // the processors stand in the memory.
    FlopRate fastest;
    for (const auto& [dtype, rate] : device.peak) fastest = std::max(fastest, rate);
    CHECK(fastest.value() / device.memory.bandwidth.value() >
          (device.kind == DeviceKind::kPim ? 0.5 : 4));
    CHECK(fastest.value() / device.memory.bandwidth.value() < 4000);
    if (device.price) {
      CHECK(device.price->value() * 3600 > 0.1);
      CHECK(device.price->value() * 3600 < 100);
    }
  }
}

TEST_CASE("Networks of clusters are where real networks are, the inner one fastest") {
  const Sandbox sandbox;
  for (const CatalogName& entry : ListClusters()) {
    CAPTURE(entry.name);
    const Cluster cluster = LoadCluster(entry.name);
    CHECK(cluster.devices == cluster.node.nodes * cluster.node.devices_per_node);
    Bandwidth inner(1e15);
    for (const Tier& tier : cluster.topology.tiers) {
      CAPTURE(tier.name);
      CHECK(tier.PerDevice() >= Bandwidth(0.1e9));
      CHECK(tier.PerDevice() <= Bandwidth(2e12));
      CHECK(tier.PerDevice() <= inner);
      inner = tier.PerDevice();
    }
  }
}

TEST_CASE("NVLink gives a device of a node what its generation is known for, per direction") {
  const Sandbox sandbox;
  const auto inner = [](const char* name) {
    return LoadCluster(name).topology.tiers.front().PerDevice().value() / 1e9;
  };
  CHECK(inner("dgx-a100") == doctest::Approx(300));
  CHECK(inner("dgx-h100") == doctest::Approx(450));
  CHECK(inner("dgx-h200") == doctest::Approx(450));
  CHECK(inner("dgx-b200") == doctest::Approx(900));
  CHECK(inner("gb200-nvl72") == doctest::Approx(900));
  CHECK(inner("aws-p3dn-24xlarge") == doctest::Approx(150));
  CHECK(inner("hgx-a800") == doctest::Approx(200));
  CHECK(inner("hgx-h800") == doctest::Approx(200));
  CHECK(inner("h100-nvl-pair") == doctest::Approx(300));
  // Prices of clouds name the same boards.
  CHECK(inner("aws-p5-48xlarge") == doctest::Approx(450));
  CHECK(inner("gcp-a4-highgpu-8g") == doctest::Approx(900));
}

TEST_CASE("Other links between devices give what their makers print, per direction") {
  const Sandbox sandbox;
  const auto on = [](const char* name, std::size_t tier) {
    return LoadCluster(name).topology.tiers.at(tier).PerDevice().value() / 1e9;
  };
  CHECK(on("mi100-server", 0) == doctest::Approx(138));
  CHECK(on("frontier-node", 0) == doctest::Approx(200));
  CHECK(on("mi300x-platform", 0) == doctest::Approx(448));
  CHECK(on("mi355x-platform", 0) == doctest::Approx(535.5));
  CHECK(on("hls-gaudi2", 0) == doctest::Approx(262.5));
  CHECK(on("hls-gaudi3", 0) == doctest::Approx(525));
  // A chip of a torus has its links on two or three axes.
  CHECK(3 * on("tpu-v4-pod", 0) == doctest::Approx(270));
  CHECK(2 * on("tpu-v5e-pod", 0) == doctest::Approx(200));
  CHECK(3 * on("tpu-v5p-pod", 0) == doctest::Approx(600));
  CHECK(2 * on("tpu-v6e-pod", 0) == doctest::Approx(400));
  CHECK(3 * on("tpu-v7x-pod", 0) == doctest::Approx(600));
  CHECK(2 * on("aws-trn1-32xlarge", 0) == doctest::Approx(192));
  CHECK(2 * on("aws-trn2-ultraserver", 0) + on("aws-trn2-ultraserver", 2) == doctest::Approx(640));
  CHECK(on("aws-trn3-gen2-ultraserver", 0) == doctest::Approx(1280));
  CHECK(on("aws-inf2-48xlarge", 0) == doctest::Approx(96));
}

struct Pod {
  std::string name;
  std::int64_t devices;
  std::size_t axes;
};

TEST_CASE("A torus is rings inside rings, as many devices as the pod has") {
  const Sandbox sandbox;
  for (const Pod& expected : {Pod{"tpu-v4-pod", 4096, 3},
                              Pod{"tpu-v5e-pod", 256, 2},
                              Pod{"tpu-v5p-pod", 8960, 3},
                              Pod{"tpu-v6e-pod", 256, 2},
                              Pod{"tpu-v7x-pod", 9216, 3}}) {
    CAPTURE(expected.name);
    const Cluster pod = LoadCluster(expected.name);
    CHECK(pod.devices == expected.devices);
    const std::vector<Tier>& tiers = pod.topology.tiers;
    REQUIRE(tiers.size() == expected.axes + 1);
    for (std::size_t i = 0; i < expected.axes; ++i) CHECK(tiers[i].shape == TierShape::kRing);
    CHECK(tiers[expected.axes - 1].devices == expected.devices);
  }
}

TEST_CASE("The link of a device to its host is a link of the catalog") {
  const Sandbox sandbox;
  int linked = 0;
  for (const Device& device : Devices()) {
    if (!device.host_link) continue;
    CAPTURE(device.name);
    const Link link = LoadLink(*device.host_link);
    CHECK((link.kind == LinkKind::kPcie || link.kind == LinkKind::kHost));
    ++linked;
  }
  CHECK(linked >= 30);
}

TEST_CASE("Every device has a node that holds it, and every reference is complete") {
  const Sandbox sandbox;
  for (const Device& device : Devices()) {
    CAPTURE(device.name);
    REQUIRE(device.default_node);
    for (const std::int64_t count : {1, 2, 16}) {
      // Nothing joins several of these memory chips.
      if (device.name == "gddr6-aim" && count > 1) continue;
      const Cluster cluster = LoadCluster(device.name + ":" + std::to_string(count));
      CHECK(cluster.devices == count);
      CHECK(cluster.device.name == device.name);
      CHECK(cluster.topology.tiers.back().devices >= count);
      CHECK(cluster.Nodes() ==
            (count + cluster.node.devices_per_node - 1) / cluster.node.devices_per_node);
    }
    // Its node is made of it, or of the same chip with other memory.
    const std::string of = LoadClusterSpec(*device.default_node).device;
    CHECK((of == device.name || device.name.starts_with(of + "-")));
  }
  REQUIRE(!BuiltInReferences().empty());
  for (const auto& entry : BuiltInReferences()) {
    const std::string& key = entry.first;
    CAPTURE(key);
    CHECK(!entry.second.title.empty());
    CHECK(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos);
  }
}

}  // namespace
}  // namespace roofcast
