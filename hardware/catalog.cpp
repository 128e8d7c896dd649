// SPDX-License-Identifier: Apache-2.0
#include "hardware/catalog.h"

#include <algorithm>

#include "core/error.h"
#include "core/yaml_node.h"
#include "hardware/catalog_files.h"

namespace roofcast {
namespace internal {

Names NamesIn(const CatalogFile& file) {
  Names names{file.name, "", {}};
  try {
    const YamlNode node = ParseYaml(file.text, file.place);
    if (const YamlNode* name = node.Find("name")) names.name = name->scalar();
    if (const YamlNode* title = node.Find("title")) names.title = title->scalar();
    if (const YamlNode* aliases = node.Find("aliases")) {
      for (const YamlNode& alias : aliases->items()) names.aliases.push_back(alias.scalar());
    }
  } catch (const SpecError&) {
    // `roofcast lint` tells; here the file keeps the name that its path gives it.
  }
  return names;
}

std::optional<CatalogFile> FindFile(CatalogKind kind, std::string_view name) {
  const std::string wanted = NormaliseName(name);
  if (wanted.empty()) return std::nullopt;
  for (const CatalogFile& file : ListCatalog(kind)) {
    if (NormaliseName(file.name) == wanted) return file;
    // Parsing costs a third of a millisecond a file, looking for the word next to nothing.
    if (NormaliseName(file.text).find(wanted) == std::string::npos) continue;
    const Names names = NamesIn(file);
    const bool found = NormaliseName(names.name) == wanted ||
                       std::any_of(names.aliases.begin(), names.aliases.end(), [&](const auto& a) {
                         return NormaliseName(a) == wanted;
                       });
    if (found) return file;
  }
  return std::nullopt;
}

std::vector<std::string> AllNames(CatalogKind kind) {
  std::vector<std::string> all;
  for (const CatalogFile& file : ListCatalog(kind)) {
    Names names = NamesIn(file);
    all.push_back(std::move(names.name));
    all.insert(all.end(), names.aliases.begin(), names.aliases.end());
  }
  return all;
}

}  // namespace internal

namespace {

std::vector<CatalogName> List(CatalogKind kind) {
  std::vector<CatalogName> list;
  for (const CatalogFile& file : ListCatalog(kind)) {
    internal::Names names = internal::NamesIn(file);
    list.push_back(
        {std::move(names.name), std::move(names.title), file.place, std::move(names.aliases)});
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return list;
}

}  // namespace

Device LoadDevice(std::string_view name) {
  return internal::Load<Device>(name);
}
Link LoadLink(std::string_view name) {
  return internal::Load<Link>(name);
}
ClusterSpec LoadClusterSpec(std::string_view name) {
  return internal::Load<ClusterSpec>(name);
}

bool IsHardwareName(std::string_view name) {
  return internal::FindFile(CatalogKind::kAccelerators, name) ||
         internal::FindFile(CatalogKind::kLinks, name) ||
         internal::FindFile(CatalogKind::kClusters, name);
}

std::vector<CatalogName> ListDevices() {
  return List(CatalogKind::kAccelerators);
}
std::vector<CatalogName> ListLinks() {
  return List(CatalogKind::kLinks);
}
std::vector<CatalogName> ListClusters() {
  return List(CatalogKind::kClusters);
}

}  // namespace roofcast
