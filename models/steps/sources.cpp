// SPDX-License-Identifier: Apache-2.0
#include "models/steps/sources.h"

#include <string>

#include "core/dtype.h"

namespace roofcast {
namespace {

void AddFigure(std::vector<UsedSource>& used,
               const std::string& owner,
               const Sources& sources,
               const std::string& path) {
  const auto found = sources.find(path);
  if (found == sources.end()) return;
  const Source& source = found->second;
  used.push_back({owner + " " + path, source.kind, source.key, Format(source.place)});
}

}  // namespace

std::vector<UsedSource> SourcesOf(const Cluster& cluster,
                                  const Fit& fit,
                                  const Precision& precision,
                                  const std::set<std::string_view>& families) {
  std::vector<UsedSource> used;
  const Device& device = cluster.device;
  for (const DType dtype : {precision.residual, precision.activations}) {
    const bool matrix = device.peak.contains(dtype);
    const std::string path = (matrix ? "peak." : "vector_peak.") + std::string(NameOf(dtype));
    if (used.empty() || used.front().name != device.name + " " + path) {
      AddFigure(used, device.name, device.sources, path);
    }
  }
  for (const auto& [dtype, rate] : device.vector_peak) {
    if (rate == device.VectorPeak()) {
      AddFigure(used, device.name, device.sources, "vector_peak." + std::string(NameOf(dtype)));
      break;
    }
  }
  const bool reported = device.memory.reported_capacity.has_value();
  AddFigure(
      used, device.name, device.sources, reported ? "memory.reported_capacity" : "memory.capacity");
  AddFigure(used, device.name, device.sources, "memory.bandwidth");
  for (std::size_t i = 0; cluster.devices > 1 && i < cluster.topology.tiers.size(); ++i) {
    // Tiers beyond the one that joins all devices in use are not crossed.
    const Tier& tier = cluster.topology.tiers[i];
    AddFigure(used, tier.link.name, tier.link.sources, "bandwidth_per_direction");
    AddFigure(used,
              cluster.node.name,
              cluster.node.sources,
              "tiers[" + std::to_string(i) + "].links_per_device");
    if (tier.devices >= cluster.devices) break;
  }
  for (const auto& [path, source] : fit.sources) {
    const std::string_view family = std::string_view(path).substr(path.find('.') + 1);
    if (!families.contains(family.substr(0, family.find('.')))) continue;
    used.push_back({fit.name + " " + path, source.kind, source.key, Format(source.place)});
  }
  return used;
}

}  // namespace roofcast
