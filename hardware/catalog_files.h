// SPDX-License-Identifier: Apache-2.0
// How names find files of the catalog, for .cpp files of hardware/ and of what stands on it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/spec_reader.h"
#include "core/text.h"
#include "hardware/cluster.h"
#include "hardware/device.h"
#include "hardware/link.h"

namespace roofcast::internal {

// What messages call each kind, and where its names are listed.
template <class S>
struct KindOf;
template <>
struct KindOf<Device> {
  static constexpr CatalogKind kKind = CatalogKind::kAccelerators;
  static constexpr std::string_view kWord = "device";
  static constexpr std::string_view kList = "devices";
};
template <>
struct KindOf<Link> {
  static constexpr CatalogKind kKind = CatalogKind::kLinks;
  static constexpr std::string_view kWord = "link";
  static constexpr std::string_view kList = "links";
};
template <>
struct KindOf<ClusterSpec> {
  static constexpr CatalogKind kKind = CatalogKind::kClusters;
  static constexpr std::string_view kWord = "cluster";
  static constexpr std::string_view kList = "clusters";
};

// The names in a file without reading the rest of it: a broken file elsewhere in the catalog must
// not hide a good one.
struct Names {
  std::string name;
  std::string title;
  std::vector<std::string> aliases;
};
Names NamesIn(const CatalogFile& file);

// The first file in search order that has the name or alias.
std::optional<CatalogFile> FindFile(CatalogKind kind, std::string_view name);
// All names and aliases of a kind.
std::vector<std::string> AllNames(CatalogKind kind);

// "did you mean 'h100-sxm'?", or where all names are listed.
template <class S>
std::string CureOfName(std::string_view name) {
  const auto nearest = NearestName(name, AllNames(KindOf<S>::kKind));
  return nearest ? "did you mean " + Quoted(*nearest) + "?"
                 : "'roofcast list " + std::string(KindOf<S>::kList) + "' names all";
}

template <class S>
S ReadFile(const CatalogFile& file) {
  if (!file.unreadable.empty()) throw NotFoundError(file.unreadable);
  S spec = ReadSpec<S>(ParseYaml(file.text, file.place), BuiltInReferences());
  spec.file = file.place;
  return spec;
}

// The file that a name or a path inside `from` stands for: paths are relative to that file.
template <class S>
std::optional<CatalogFile> Locate(std::string_view name, const std::string& from) {
  if (auto file = FindFile(KindOf<S>::kKind, name)) return file;
  if (!LooksLikePath(name)) return std::nullopt;
  const std::filesystem::path path(name);
  if (path.is_absolute() || from.empty()) return ReadUserFile(std::string(name));
  return ReadUserFile((std::filesystem::path(from).parent_path() / path).string());
}

template <class S>
S Load(std::string_view name, const std::string& from = "") {
  if (const auto file = Locate<S>(name, from)) return ReadFile<S>(*file);
  const std::string word(KindOf<S>::kWord);
  throw NotFoundError(word + ": no " + word + " " + Quoted(name) + "; " + CureOfName<S>(name));
}

// How many of the top keys are fields of S: what a file holds is told by its keys.
template <HasFields S>
int KeysOf(const YamlNode& node) {
  int count = 0;
  for (const std::string& name : FieldNames<S>()) count += node.Find(name) != nullptr ? 1 : 0;
  return count;
}
inline bool HoldsCluster(const YamlNode& node) {
  return KeysOf<ClusterSpec>(node) > KeysOf<Device>(node);
}
inline bool HoldsLink(const YamlNode& node) {
  return KeysOf<Link>(node) > KeysOf<Device>(node) &&
         KeysOf<Link>(node) > KeysOf<ClusterSpec>(node);
}

}  // namespace roofcast::internal
