// SPDX-License-Identifier: Apache-2.0
#include "core/source.h"

#include <array>
#include <utility>

#include "core/embedded.h"
#include "core/text.h"
#include "core/yaml_node.h"

namespace roofcast {
namespace {

constexpr std::array<std::pair<SourceKind, std::string_view>, 6> kKinds = {{
    {SourceKind::kMeasured, "measured"},
    {SourceKind::kFitted, "fitted"},
    {SourceKind::kDatasheet, "datasheet"},
    {SourceKind::kPaper, "paper"},
    {SourceKind::kDerived, "derived"},
    {SourceKind::kAssumed, "assumed"},
}};

constexpr std::array<std::pair<std::string_view, std::string Reference::*>, 4> kTexts = {{
    {"title", &Reference::title},
    {"publisher", &Reference::publisher},
    {"url", &Reference::url},
    {"note", &Reference::note},
}};

Reference ReadReference(const YamlNode::Entry& entry,
                        const std::string& path,
                        std::vector<Problem>& problems) {
  Reference reference;
  if (!entry.value.IsMap()) {
    problems.push_back(
        {entry.where, path, "needs a block of keys", "add 'title' and 'kind' to it"});
    return reference;
  }
  for (const auto& field : entry.value.entries()) {
    const std::string field_path = path + "." + field.key;
    const auto complain = [&](std::string text, std::string cure) {
      problems.push_back({field.value.where(), field_path, std::move(text), std::move(cure)});
    };
    if (!field.value.IsScalar()) {
      complain("needs text", "");
      continue;
    }
    const std::string& text = field.value.scalar();
    bool known = false;
    for (const auto& [name, member] : kTexts) {
      if (field.key != name) continue;
      reference.*member = text;
      known = true;
    }
    if (known) continue;
    if (field.key == "year") {
      const auto year = ParseInteger(text);
      if (!year) complain(Quoted(text) + " is not a year", "");
      reference.year = year.value_or(0);
    } else if (field.key == "kind") {
      const auto kind = FindSourceKind(text);
      if (!kind) complain("unknown kind " + Quoted(text), "use " + JoinWithOr(SourceKindNames()));
      reference.kind = kind.value_or(SourceKind::kAssumed);
    } else {
      problems.push_back({field.where,
                          field_path,
                          "unknown key",
                          "known keys: title, publisher, year, url, kind or note"});
    }
  }
  for (const std::string_view name : {"title", "kind"}) {
    if (entry.value.Find(name) != nullptr) continue;
    problems.push_back({entry.where, path, "'" + std::string(name) + "' is missing", "add it"});
  }
  return reference;
}

}  // namespace

std::string_view NameOf(SourceKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].second;
}

std::optional<SourceKind> FindSourceKind(std::string_view name) {
  for (const auto& [kind, candidate] : kKinds) {
    if (candidate == name) return kind;
  }
  return std::nullopt;
}

std::vector<std::string> SourceKindNames() {
  std::vector<std::string> names;
  names.reserve(kKinds.size());
  for (const auto& [kind, name] : kKinds) names.emplace_back(name);
  return names;
}

References ReadReferences(const YamlNode& node, const std::string& path) {
  if (!node.IsMap()) {
    throw SpecError({{node.where(),
                      path,
                      "needs one block a reference",
                      "write 'key:' and below it "
                      "'title' and 'kind'"}});
  }
  References references;
  std::vector<Problem> problems;
  for (const auto& entry : node.entries()) {
    const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
    references.emplace(entry.key, ReadReference(entry, entry_path, problems));
  }
  if (!problems.empty()) throw SpecError(std::move(problems));
  return references;
}

const References& BuiltInReferences() {
  static const References references = [] {
    constexpr std::string_view kPath = "hardware/references.yaml";
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      if (file.path == kPath) return ReadReferences(ParseYaml(file.text, std::string(kPath)));
    }
    return References{};
  }();
  return references;
}

}  // namespace roofcast
