// SPDX-License-Identifier: Apache-2.0
// Small correct specs for tests to break.
#pragma once

#include <string>

namespace roofcast::testing {

inline std::string DeviceYaml(const std::string& name, const std::string& node = "dgx-h100") {
  return "name: " + name +
         "\n"
         "title: A device\n"
         "vendor: Us\n"
         "architecture: ours\n"
         "kind: gpu\n"
         "default_node: " +
         node +
         "\n"
         "from: mine\n"
         "launch_year: 2024\n"
         "compute_units: 100\n"
         "peak: {bf16: 500 TFLOP/s}\n"
         "vector_peak: {fp32: 40 TFLOP/s}\n"
         "memory: {technology: HBM, capacity: 64 GB, bandwidth: 2 TB/s}\n"
         "references:\n"
         "  mine: {title: Our data sheet, kind: datasheet}\n";
}

inline std::string LinkYaml(const std::string& name) {
  return "name: " + name +
         "\n"
         "title: A link\n"
         "kind: pcie\n"
         "bandwidth_per_direction: 10 GB/s\n"
         "from: mine\n"
         "references:\n"
         "  mine: {title: Our data sheet, kind: datasheet}\n";
}

inline std::string ClusterYaml(const std::string& name,
                               const std::string& device = "h100-sxm",
                               const std::string& link = "nvlink4") {
  return "name: " + name +
         "\n"
         "title: A cluster\n"
         "nodes: 2\n"
         "device: " +
         device +
         "\n"
         "devices_per_node: 4\n"
         "from: mine\n"
         "tiers:\n"
         "  - {name: inner, link: " +
         link +
         ", shape: switch, links_per_device: 2, devices: 4}\n"
         "  - {name: outer, link: infiniband-ndr, shape: switch, links_per_device: 1}\n"
         "references:\n"
         "  mine: {title: Our data sheet, kind: datasheet}\n";
}

}  // namespace roofcast::testing
