// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster.h"

#include "core/spec_reader.h"

namespace roofcast {

void ClusterSpec::Check(SpecReader& reader) const {
  // Together they stay far from what 64-bit counts hold.
  if (devices_per_node > kMostDevices || nodes > kMostDevices / devices_per_node) {
    reader.AddProblem("nodes", "more than 10000000 devices in all", "check the count");
  }
  if (tiers.empty()) {
    reader.AddProblem("tiers", "no tier", "add the network that joins the devices");
  }
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const std::string path = "tiers[" + std::to_string(i) + "]";
    const bool last = i + 1 == tiers.size();
    if (!last && !tiers[i].devices) {
      reader.AddProblem(path, "'devices' is missing", "only the last tier may leave it out");
    }
    if (!tiers[i].devices) continue;
    const std::int64_t devices = *tiers[i].devices;
    if (devices < inner) {
      reader.AddProblem(path + ".devices",
                        std::to_string(devices) + " is less than the " + std::to_string(inner) +
                            " of the tier before it",
                        "list tiers from inner to outer");
    } else if (devices % inner != 0) {
      reader.AddProblem(path + ".devices",
                        std::to_string(devices) + " is not a multiple of the " +
                            std::to_string(inner) + " of the tier before it",
                        "join whole inner tiers");
    }
    inner = devices;
  }
}

}  // namespace roofcast
