// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "hardware/cluster.h"
#include "hardware/device.h"
#include "hardware/link.h"

namespace roofcast {

// By name, alias or path. An unknown name throws NotFoundError with the nearest one.
Device LoadDevice(std::string_view name);
Link LoadLink(std::string_view name);
ClusterSpec LoadClusterSpec(std::string_view name);

// Whether a device, link or cluster is called so. Names that public data use may have a '/', which
// otherwise makes a path.
bool IsHardwareName(std::string_view name);

// Everything wrong with a file, in its order: the reader's problems for the kind that its keys tell
// (device, link, cluster; a file called references is a bibliography), its name against the file's,
// aliases that another file has too, and names that stand for nothing. Used by `roofcast lint`.
std::vector<Problem> LintFile(const CatalogFile& file);

// One entry of `roofcast list`.
struct CatalogName {
  std::string name;
  std::string title;
  std::string place;
  std::vector<std::string> aliases;
};
std::vector<CatalogName> ListDevices();
std::vector<CatalogName> ListLinks();
std::vector<CatalogName> ListClusters();

}  // namespace roofcast
