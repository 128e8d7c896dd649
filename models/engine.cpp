// SPDX-License-Identifier: Apache-2.0
#include "models/engine.h"

#include "hardware/catalog_files.h"

namespace roofcast {
namespace internal {

template <>
struct KindOf<Engine> {
  static constexpr CatalogKind kKind = CatalogKind::kEngines;
  static constexpr std::string_view kWord = "engine";
  static constexpr std::string_view kList = "engines";
};

}  // namespace internal

Engine LoadEngine(std::string_view name) {
  return internal::Load<Engine>(name);
}

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kEngines)) {
    names.push_back(internal::NamesIn(file).name);
  }
  return names;
}

}  // namespace roofcast
