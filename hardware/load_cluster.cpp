// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "core/yaml_node.h"
#include "hardware/catalog.h"
#include "hardware/catalog_files.h"
#include "hardware/cluster.h"

namespace roofcast {
namespace {

Cluster Build(ClusterSpec node, Device device, std::int64_t devices, const std::string& name) {
  Cluster cluster;
  cluster.name = Printable(name);
  cluster.devices = devices;
  cluster.device = std::move(device);
  const std::int64_t everyone = std::max(devices, node.devices_per_node);
  for (const TierSpec& tier : node.tiers) {
    cluster.topology.tiers.push_back({tier.name,
                                      internal::Load<Link>(tier.link, node.file),
                                      tier.shape,
                                      tier.links_per_device,
                                      tier.devices.value_or(everyone)});
  }
  const std::vector<Tier>& tiers = cluster.topology.tiers;
  if (!tiers.empty() && devices > tiers.back().devices) {
    throw ArgumentError("cluster: " + Quoted(cluster.name) + ": the networks of '" + node.name +
                        "' join " + std::to_string(tiers.back().devices) +
                        " devices at most; use fewer, or add a tier to " + node.file);
  }
  cluster.node = std::move(node);
  return cluster;
}

// The node of a device that names none: the device itself, joined to nothing.
ClusterSpec AloneNode(const Device& device) {
  ClusterSpec node;
  node.name = device.name;
  node.title = device.title;
  node.device = device.name;
  node.file = device.file;
  return node;
}

Cluster Place(Device device, std::int64_t devices, const std::string& name) {
  if (!device.default_node) {
    if (devices > 1) {
      throw ArgumentError("cluster: " + Quoted(name) + ": '" + device.name +
                          "' names no node, so what joins " + std::to_string(devices) +
                          " of it is not known; add 'default_node: dgx-h100', or another of "
                          "'roofcast list clusters', to " +
                          device.file);
    }
    ClusterSpec node = AloneNode(device);
    return Build(std::move(node), std::move(device), devices, name);
  }
  auto node = internal::Load<ClusterSpec>(*device.default_node, device.file);
  return Build(std::move(node), std::move(device), devices, name);
}

[[noreturn]] void RefuseName(std::string_view name) {
  std::vector<std::string> known = internal::AllNames(CatalogKind::kAccelerators);
  const std::vector<std::string> clusters = internal::AllNames(CatalogKind::kClusters);
  known.insert(known.end(), clusters.begin(), clusters.end());
  const std::string cure = DidYouMean(name, known);
  throw NotFoundError(
      "cluster: no device or cluster " + Quoted(name) +
      (cure.empty() ? "; 'roofcast list devices' and 'roofcast list clusters' name all" : cure));
}

}  // namespace

Cluster ClusterOf(Device device, std::int64_t devices) {
  const std::string name = device.name + ":" + std::to_string(devices);
  return Place(std::move(device), devices, name);
}

Cluster LoadCluster(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return LoadCluster(text, 0);
  const std::string_view count = text.substr(colon + 1);
  const auto devices = ParseInteger(count);
  if (!devices || *devices < 1) {
    throw ArgumentError("cluster: " + Quoted(text) + ": " + Quoted(count) +
                        " is not a count of devices; write NAME:COUNT, as h100-sxm:8");
  }
  return LoadCluster(text.substr(0, colon), *devices);
}

Cluster LoadCluster(std::string_view name, std::int64_t devices) {
  if (Trim(name).empty()) {
    throw ArgumentError("cluster: the name is empty; write NAME or NAME:COUNT, as h100-sxm:8");
  }
  if (devices < 0 || devices > kMostDevices) {
    throw ArgumentError("cluster: " + std::to_string(devices) + " devices; use a count from 1 to " +
                        std::to_string(kMostDevices));
  }
  std::string full(name);
  if (devices > 0) full += ":" + std::to_string(devices);
  std::optional<CatalogFile> device_file;
  std::optional<CatalogFile> cluster_file;
  if (LooksLikePath(name) && !IsHardwareName(name)) {
    CatalogFile file = ReadUserFile(std::string(name));
    const bool cluster = internal::HoldsCluster(ParseYaml(file.text, file.place));
    (cluster ? cluster_file : device_file) = std::move(file);
  } else if (device_file = internal::FindFile(CatalogKind::kAccelerators, name); !device_file) {
    cluster_file = internal::FindFile(CatalogKind::kClusters, name);
    if (!cluster_file) RefuseName(name);
  }
  if (device_file) {
    return Place(
        internal::ReadFile<Device>(*device_file), std::max<std::int64_t>(devices, 1), full);
  }
  auto spec = internal::ReadFile<ClusterSpec>(*cluster_file);
  auto device = internal::Load<Device>(spec.device, spec.file);
  const std::int64_t all = spec.nodes * spec.devices_per_node;
  return Build(std::move(spec), std::move(device), devices > 0 ? devices : all, full);
}

}  // namespace roofcast
