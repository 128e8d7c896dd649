// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster.h"

#include <doctest/doctest.h>

#include "core/catalog.h"
#include "hardware/catalog.h"
#include "tests/core/support.h"
#include "tests/hardware/specs.h"

namespace roofcast {
namespace {

using testing::MessageOf;
using testing::Sandbox;

std::string Refusal(std::string_view text) {
  return MessageOf([&] { LoadCluster(text); });
}

TEST_CASE("A device with a count stands in nodes of its default kind") {
  const Sandbox sandbox;
  const Cluster cluster = LoadCluster("h100-sxm:64");
  CHECK(cluster.name == "h100-sxm:64");
  CHECK(cluster.device.name == "h100-sxm");
  CHECK(cluster.node.name == "dgx-h100");
  CHECK(cluster.devices == 64);
  CHECK(cluster.Nodes() == 8);
  REQUIRE(cluster.topology.tiers.size() == 2);
  CHECK(cluster.topology.tiers[0].devices == 8);
  CHECK(cluster.topology.tiers[0].link.name == "nvlink4");
  CHECK(cluster.topology.tiers[1].devices == 64);
  CHECK(LoadCluster("h100-sxm", 12).Nodes() == 2);
  CHECK(LoadCluster("h100-sxm").devices == 1);
}

TEST_CASE("A cluster's own count is the default, and a node type can be repeated") {
  const Sandbox sandbox;
  CHECK(LoadCluster("dgx-h100").devices == 8);
  CHECK(LoadCluster("dgx-h100:16").devices == 16);
  CHECK(LoadCluster("dgx-h100:16").topology.tiers[1].devices == 16);
  CHECK(LoadCluster("gb200-nvl72").devices == 72);
  CHECK(LoadCluster("gb200-nvl72:144").topology.tiers[1].devices == 144);
}

TEST_CASE("Case, space, hyphen, underscore and aliases lead to the same device") {
  const Sandbox sandbox;
  for (const char* name : {"h100_sxm:8",
                           "H100-SXM:8",
                           "h100 sxm:8",
                           "h100\xE2\x80\x91sxm:8",
                           "h100_sxm_80g:8",
                           "H100-80GB SXM:8"}) {
    CAPTURE(name);
    CHECK(LoadCluster(name).device.name == "h100-sxm");
  }
}

TEST_CASE("What is no name or no count is refused with the whole message") {
  const Sandbox sandbox;
  const std::string count = " is not a count of devices; write NAME:COUNT, as h100-sxm:8";
  const std::string empty = "cluster: the name is empty; write NAME or NAME:COUNT, as h100-sxm:8";
  CHECK(Refusal("h100-smx:8") ==
        "cluster: no device or cluster 'h100-smx'; did you mean 'h100-sxm'?");
  CHECK(Refusal("dgx-h1000") ==
        "cluster: no device or cluster 'dgx-h1000'; did you mean 'dgx-h100'?");
  CHECK(Refusal("warp-core:8") ==
        "cluster: no device or cluster 'warp-core'; 'roofcast list devices' and 'roofcast list "
        "clusters' name all");
  CHECK(Refusal("h100-sxm:0") == "cluster: 'h100-sxm:0': '0'" + count);
  CHECK(Refusal("h100-sxm:-1") == "cluster: 'h100-sxm:-1': '-1'" + count);
  CHECK(Refusal("h100-sxm:x") == "cluster: 'h100-sxm:x': 'x'" + count);
  CHECK(Refusal("h100-sxm:8.5") == "cluster: 'h100-sxm:8.5': '8.5'" + count);
  CHECK(Refusal("h100-sxm:") == "cluster: 'h100-sxm:': ''" + count);
  CHECK(Refusal("h100-sxm: 8") == "cluster: 'h100-sxm: 8': ' 8'" + count);
  CHECK(Refusal("h100-sxm:99999999999999999999") ==
        "cluster: 'h100-sxm:99999999999999999999': '99999999999999999999'" + count);
  CHECK(Refusal("h100-sxm:10000001") ==
        "cluster: 10000001 devices; use a count from 1 to 10000000");
  CHECK(MessageOf([] { LoadCluster("h100-sxm", -3); }) ==
        "cluster: -3 devices; use a count from 1 to 10000000");
  CHECK(Refusal(":8") == empty);
  CHECK(Refusal("") == empty);
  CHECK(Refusal("  ") == empty);
  CHECK(Refusal("absent.yaml:8") == "absent.yaml: no such file; check the path");
  CHECK(Refusal("./absent.yaml") == "./absent.yaml: no such file; check the path");
  CHECK(Refusal("/:8") == "/: not a file; name a file");
  CHECK(Refusal("dgx\x1B[31m") ==
        "cluster: no device or cluster 'dgx\\x1B[31m'; 'roofcast list devices' and 'roofcast list "
        "clusters' name all");
}

TEST_CASE("A very long name is refused with a short message") {
  const Sandbox sandbox;
  for (const std::string start : {"", "./", "a.yaml/"}) {
    const std::string message = Refusal(start + std::string(1000000, 'x'));
    CHECK(message != "no error");
    CHECK(message.size() < 400);
  }
}

TEST_CASE("A user's device file stands in nodes of its default kind") {
  const Sandbox sandbox;
  sandbox.Write("my_gpu.yaml", testing::DeviceYaml("my-gpu"));
  const Cluster cluster = LoadCluster("my_gpu.yaml:8");
  CHECK(cluster.name == "my_gpu.yaml:8");
  CHECK(cluster.device.name == "my-gpu");
  CHECK(cluster.device.file == "my_gpu.yaml");
  CHECK(cluster.node.name == "dgx-h100");
  CHECK(cluster.device.sources.at("memory.capacity").own->title == "Our data sheet");
  CHECK(LoadCluster("my_gpu.yaml").devices == 1);
}

TEST_CASE("A device that names no node stands alone, and several of it are refused") {
  const Sandbox sandbox;
  std::string text = testing::DeviceYaml("mine");
  const std::string line = "default_node: dgx-h100\n";
  text.erase(text.find(line), line.size());
  sandbox.Write("mine.yaml", text);
  for (const char* name : {"mine.yaml", "mine.yaml:1"}) {
    const Cluster alone = LoadCluster(name);
    CHECK(alone.devices == 1);
    CHECK(alone.Nodes() == 1);
    CHECK(alone.topology.tiers.empty());
    CHECK(alone.node.name == "mine");
    CHECK(alone.node.file == "mine.yaml");
  }
  CHECK(LintFile(ReadUserFile("mine.yaml")).empty());
  CHECK(Refusal("mine.yaml:8") ==
        "cluster: 'mine.yaml:8': 'mine' names no node, so what joins 8 of it is not known; add "
        "'default_node: dgx-h100', or another of 'roofcast list clusters', to mine.yaml");
  sandbox.Write("roofcast/accelerators/mine.yaml", text);
  CHECK(LoadCluster("mine").device.title == "A device");
  CHECK(Refusal("mine:2").starts_with("cluster: 'mine:2': 'mine' names no node"));
}

TEST_CASE("A name with a slash that the catalog knows is no path") {
  const Sandbox sandbox;
  const std::string name = "A100-80GB (Jean Zay, 4x Omni-Path/node)";
  CHECK(LooksLikePath(name));
  CHECK(IsHardwareName(name));
  CHECK(LoadCluster(name).node.name == "jean-zay-a100");
  CHECK(LoadCluster(name + ":16").devices == 16);
  CHECK(!IsHardwareName("./dgx-h100"));
}

TEST_CASE("Names of files inside a file are relative to it") {
  const Sandbox sandbox;
  sandbox.Write("specs/my_cluster.yaml",
                testing::ClusterYaml("my-cluster", "./my_gpu.yaml", "parts/my_link.yaml"));
  sandbox.Write("specs/my_gpu.yaml", testing::DeviceYaml("my-gpu", "my_cluster.yaml"));
  sandbox.Write("specs/parts/my_link.yaml", testing::LinkYaml("my-link"));
  const Cluster cluster = LoadCluster("specs/my_cluster.yaml");
  CHECK(cluster.devices == 8);
  CHECK(cluster.Nodes() == 2);
  CHECK(cluster.device.name == "my-gpu");
  CHECK(cluster.topology.tiers[0].link.name == "my-link");
  CHECK(LoadCluster("specs/my_gpu.yaml:4").node.name == "my-cluster");
}

TEST_CASE("A cluster file that names what doesn't exist is refused") {
  const Sandbox sandbox;
  sandbox.Write("a.yaml", testing::ClusterYaml("a", "h100-smx"));
  CHECK(Refusal("a.yaml") == "device: no device 'h100-smx'; did you mean 'h100-sxm'?");
  sandbox.Write("b.yaml", testing::ClusterYaml("b", "h100-sxm", "nvlink44"));
  CHECK(Refusal("b.yaml") == "link: no link 'nvlink44'; did you mean 'nvlink4'?");
  sandbox.Write("c.yaml", testing::DeviceYaml("c", "dgx-h10"));
  CHECK(Refusal("c.yaml") == "cluster: no cluster 'dgx-h10'; did you mean 'dgx-h100'?");
}

TEST_CASE("More devices than the networks join are refused") {
  const Sandbox sandbox;
  std::string text = testing::ClusterYaml("small");
  const auto at = text.find("links_per_device: 1}");
  text.replace(at, 20, "links_per_device: 1, devices: 8}");
  sandbox.Write("small.yaml", text);
  CHECK(LoadCluster("small.yaml:8").devices == 8);
  CHECK(
      Refusal("small.yaml:9") ==
      "cluster: 'small.yaml:9': the networks of 'small' join 8 devices at most; use fewer, or add "
      "a tier to small.yaml");
}

TEST_CASE("A peak that a device doesn't have is refused with those that it has") {
  const Sandbox sandbox;
  const Device a100 = LoadDevice("a100-sxm");
  CHECK(!a100.Supports(DType::kFp8));
  CHECK(MessageOf([&] { a100.PeakOf(DType::kFp8); }) ==
        "a100-sxm: does not multiply fp8; use fp64, fp32, tf32, fp16, bf16 or int8");
  // Without matrix units for a format, the vector units multiply it.
  CHECK(!a100.peak.contains(DType::kFp32));
  CHECK(a100.PeakOf(DType::kFp32) == a100.vector_peak.at(DType::kFp32));
  CHECK(a100.PeakOf(DType::kFp64) == a100.peak.at(DType::kFp64));
  Device bare = a100;
  bare.vector_peak.clear();
  CHECK(MessageOf([&] { bare.VectorPeak(); }) ==
        "a100-sxm: has no vector rate in fp32, fp16, bf16 or fp64; add 'vector_peak'");
}

}  // namespace
}  // namespace roofcast
