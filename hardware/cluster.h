// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/quantity.h"
#include "core/source.h"
#include "hardware/device.h"
#include "hardware/topology.h"

namespace roofcast {

// More than anybody has: a count above is a slip of the keyboard.
inline constexpr std::int64_t kMostDevices = 10'000'000;

struct Host {
  std::string cpu;
  std::optional<std::int64_t> cores;
  std::optional<Bytes> memory;

  template <class V>
  static void Fields(V& v) {
    v("cpu", &Host::cpu, "processors of one node");
    v("cores", &Host::cores, "physical cores of one node");
    v("memory", &Host::memory, "host memory of one node");
  }
};

// A tier as a cluster file writes it: the link by name.
struct TierSpec {
  std::string name;
  std::string link;
  TierShape shape = TierShape::kSwitch;
  double links_per_device = 1;
  std::optional<std::int64_t> devices;

  template <class V>
  static void Fields(V& v) {
    v("name", &TierSpec::name, "what reports call it");
    v("link", &TierSpec::link, "a link of the catalog");
    v("shape", &TierSpec::shape, "switch, mesh or ring");
    v("links_per_device",
      &TierSpec::links_per_device,
      "links (or NICs) divided by devices; may be a fraction");
    v("devices", &TierSpec::devices, "devices joined; left out on the tier that joins them all");
  }
};

// A cluster file: nodes of one kind. With `nodes: 1` it is a node type.
struct ClusterSpec {
  std::string name;
  std::string title;
  std::vector<std::string> aliases;
  std::int64_t nodes = 1;
  std::string device;
  std::int64_t devices_per_node = 1;
  std::optional<Host> host;
  std::optional<DollarRate> price;
  std::vector<TierSpec> tiers;

  Sources sources;
  std::string file;

  void Check(SpecReader& reader) const;

  template <class V>
  static void Fields(V& v) {
    v("name", &ClusterSpec::name, "kebab-case");
    v("title", &ClusterSpec::title, "full name");
    v("aliases", &ClusterSpec::aliases, "other names");
    v("nodes", &ClusterSpec::nodes, "nodes in it; 1 for a node type", FieldRule::kNoSource);
    v("device", &ClusterSpec::device, "an accelerator of the catalog");
    v("devices_per_node", &ClusterSpec::devices_per_node, "devices in one node");
    v("host", &ClusterSpec::host, "the node's processors and memory");
    v("price", &ClusterSpec::price, "rent of one node");
    v("tiers", &ClusterSpec::tiers, "networks from inner to outer");
  }
};

// A cluster to predict on: `devices` ranks of one SKU, numbered so that neighbours share a node. A
// single device whose node is not known has no tiers.
struct Cluster {
  std::string name;  // as asked for, "h100-sxm:64"
  Device device;
  ClusterSpec node;
  Topology topology;
  std::int64_t devices = 1;

  std::int64_t Nodes() const {
    return (devices + node.devices_per_node - 1) / node.devices_per_node;
  }
};

// "h100-sxm:64", "dgx-h100", "dgx-h100:16", "my_gpu.yaml:8", "my_cluster.yaml". COUNT counts
// devices; a last node may be partly used. A device is put into nodes of its default kind. Names of
// files inside a file are relative to it. Throws NotFoundError, ArgumentError or SpecError.
Cluster LoadCluster(std::string_view text);
// A device without a default kind of node can only be alone: nobody knows what joins several.
Cluster ClusterOf(Device device, std::int64_t devices);
// As the first, with the count apart; 0 means all devices of a cluster, one of a device.
Cluster LoadCluster(std::string_view name, std::int64_t devices);

}  // namespace roofcast
