// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "core/yaml_node.h"
#include "hardware/catalog.h"
#include "hardware/catalog_files.h"

namespace roofcast {
namespace {

using Problems = std::vector<Problem>;

bool IsKebabCase(std::string_view name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

// The file's name, and names that would also find another file.
template <class S>
void CheckNames(const CatalogFile& file, const YamlNode& node, Problems& problems) {
  if (const YamlNode* name = node.Find("name"); name != nullptr && name->IsScalar()) {
    if (!IsKebabCase(name->scalar())) {
      problems.push_back({name->where(),
                          "name",
                          Quoted(name->scalar()) + " is not in kebab-case",
                          "use lower case, digits, '-' and '.'"});
    } else if (NormaliseName(name->scalar()) != NormaliseName(file.name)) {
      problems.push_back({name->where(),
                          "name",
                          Quoted(name->scalar()) + " differs from the file's name",
                          "call both the same"});
    }
  }
  const YamlNode* aliases = node.Find("aliases");
  if (aliases == nullptr) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < aliases->items().size(); ++i) {
    const YamlNode& alias = aliases->items()[i];
    const std::string path = "aliases[" + std::to_string(i) + "]";
    const std::string folded = NormaliseName(alias.scalar());
    if (folded == NormaliseName(file.name) || !seen.insert(folded).second) {
      problems.push_back({alias.where(),
                          path,
                          Quoted(alias.scalar()) + " is a name of this file already",
                          "leave it out"});
      continue;
    }
    const auto owner = internal::FindFile(internal::KindOf<S>::kKind, alias.scalar());
    if (owner && NormaliseName(owner->name) != NormaliseName(file.name)) {
      problems.push_back({alias.where(),
                          path,
                          Quoted(alias.scalar()) + " also names " + owner->place,
                          "keep it in one of them"});
    }
  }
}

// That the name of another spec stands for one. What is wrong inside that file is its own matter.
template <class S>
void CheckReference(const CatalogFile& file,
                    const YamlNode* name,
                    const std::string& path,
                    Problems& problems) {
  if (name == nullptr || !name->IsScalar()) return;
  try {
    if (internal::Locate<S>(name->scalar(), file.built_in ? "" : file.place)) return;
    problems.push_back(
        {name->where(),
         path,
         "no " + std::string(internal::KindOf<S>::kWord) + " " + Quoted(name->scalar()),
         internal::CureOfName<S>(name->scalar())});
  } catch (const NotFoundError& error) {
    problems.push_back({name->where(), path, error.what(), ""});
  }
}

template <class S>
Problems Lint(const CatalogFile& file, const YamlNode& node) {
  Problems problems;
  try {
    internal::ReadFile<S>(file);
  } catch (const SpecError& error) {
    problems = error.problems();
  }
  CheckNames<S>(file, node, problems);
  if constexpr (std::is_same_v<S, Device>) {
    CheckReference<ClusterSpec>(file, node.Find("default_node"), "default_node", problems);
    CheckReference<Link>(file, node.Find("host_link"), "host_link", problems);
  }
  if constexpr (std::is_same_v<S, ClusterSpec>) {
    CheckReference<Device>(file, node.Find("device"), "device", problems);
    const YamlNode* tiers = node.Find("tiers");
    for (std::size_t i = 0; tiers != nullptr && i < tiers->items().size(); ++i) {
      const std::string path = "tiers[" + std::to_string(i) + "].link";
      CheckReference<Link>(file, tiers->items()[i].Find("link"), path, problems);
    }
  }
  // In the order of the file.
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  return problems;
}

}  // namespace

std::vector<Problem> LintFile(const CatalogFile& file) {
  if (!file.unreadable.empty()) return {{{}, "", file.unreadable, ""}};
  try {
    const YamlNode node = ParseYaml(file.text, file.place);
    if (file.name == "references") {
      ReadReferences(node);
      return {};
    }
    if (internal::HoldsCluster(node)) return Lint<ClusterSpec>(file, node);
    if (internal::HoldsLink(node)) return Lint<Link>(file, node);
    return Lint<Device>(file, node);
  } catch (const SpecError& error) {
    return error.problems();
  }
}

}  // namespace roofcast
