// SPDX-License-Identifier: Apache-2.0
#include "models/engine.h"

#include <algorithm>
#include <cstdint>

#include "core/error.h"
#include "core/spec_reader.h"
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

namespace {

// "0.10.2" -> {0, 10, 2}. Throws ArgumentError.
std::vector<std::int64_t> VersionNumbers(std::string_view version) {
  constexpr std::size_t kMostDigits = 6;
  if (version.starts_with('v')) version.remove_prefix(1);
  std::vector<std::int64_t> numbers;
  for (const std::string& part : Split(version, '.')) {
    const bool digits =
        !part.empty() && part.size() <= kMostDigits &&
        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) {
      throw ArgumentError("engine-version: " + Quoted(version) +
                          " is no version; write it as 0.10 or 0.10.2");
    }
    numbers.push_back(std::stoll(part));
  }
  return numbers;
}

// Whether 0.10.2 is one of the versions from 0.10 to 0.20, the last one's patches included.
bool Holds(const AdmissionRule& rule, const std::vector<std::int64_t>& version) {
  if (version < VersionNumbers(rule.first_version)) return false;
  if (!rule.last_version) return true;
  const std::vector<std::int64_t> last = VersionNumbers(*rule.last_version);
  std::vector<std::int64_t> start = version;
  start.resize(std::min(start.size(), last.size()));
  return start <= last;
}

std::string VersionsOf(const AdmissionRule& rule) {
  return rule.last_version ? rule.first_version + " to " + *rule.last_version
                           : rule.first_version + " and later";
}

}  // namespace

void Engine::Check(SpecReader& reader) const {
  const auto share = [&](const char* path, std::optional<double> value) {
    if (value && *value > 1) reader.AddProblem(path, "is above 1", "it is a share");
  };
  const auto version = [&](const char* path, const std::string& text) {
    try {
      VersionNumbers(text);
    } catch (const ArgumentError&) {
      reader.AddProblem(path, Quoted(text) + " is no version", "write it as 0.10 or 0.10.2");
    }
  };
  if (admission) {
    share("admission.fraction", admission->fraction);
    version("admission.first_version", admission->first_version);
    if (admission->last_version) version("admission.last_version", *admission->last_version);
  }
  if (training) share("training.tight_share", training->tight_share);
}

Engine LoadEngine(std::string_view name) {
  return internal::Load<Engine>(name);
}

Engine LoadEngine(std::string_view name, std::string_view version) {
  const std::vector<std::int64_t> wanted = VersionNumbers(version);
  Engine named = LoadEngine(name);
  if (!named.admission) {
    throw ArgumentError("engine-version: " + named.name +
                        " says nothing about versions; leave it out");
  }
  if (Holds(*named.admission, wanted)) return named;
  std::string known;
  for (const std::string& other : EngineNames()) {
    Engine engine = LoadEngine(other);
    if (!engine.admission || engine.admission->product != named.admission->product) continue;
    if (Holds(*engine.admission, wanted)) return engine;
    known += (known.empty() ? "" : ", ") + VersionsOf(*engine.admission);
  }
  throw ArgumentError("engine-version: no rule for " + named.admission->product + " " +
                      Printable(version) + "; there are rules for " + known);
}

bool HoldsEngine(const YamlNode& node) {
  const std::vector<std::string> fields = FieldNames<Engine>();
  return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
    const bool common = field == "name" || field == "title" || field == "aliases";
    return !common && node.Find(field) != nullptr;
  });
}

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kEngines)) {
    names.push_back(internal::NamesIn(file).name);
  }
  return names;
}

}  // namespace roofcast
