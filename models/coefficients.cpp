// SPDX-License-Identifier: Apache-2.0
#include "models/coefficients.h"

#include <algorithm>

#include "core/catalog.h"
#include "core/embedded.h"
#include "core/sha256.h"
#include "core/spec_reader.h"
#include "core/text.h"
#include "core/yaml_node.h"

namespace roofcast {

bool Fit::IsAssumed() const {
  return std::all_of(sources.begin(), sources.end(), [](const auto& entry) {
    return entry.second.kind == SourceKind::kAssumed;
  });
}

void Fit::Check(SpecReader& reader) const {
  // Every coefficient that is called an efficiency is a share of a peak.
  auto families = [&](std::string_view family, auto member, std::string_view, auto...) {
    const auto& values = coefficients.*member;
    using Family = std::remove_cvref_t<decltype(values)>;
    auto figures = [&](std::string_view key, auto figure, std::string_view, auto...) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values.*figure)>, double>) {
        const std::string path = "coefficients." + std::string(family) + "." + std::string(key);
        if (key.ends_with("_efficiency") && values.*figure > 1) {
          reader.AddProblem(path, "is above 1", "an efficiency is a share of the peak");
        }
        if (key == "overlap_exponent" && values.*figure < 1) {
          reader.AddProblem(path, "is below 1", "1 adds the terms, larger values overlap them");
        }
      }
    };
    Family::Fields(figures);
  };
  Coefficients<double>::Fields(families);
}

Fit LoadFit(std::string_view name) {
  const auto read = [](const CatalogFile& file) {
    Fit fit = ReadSpec<Fit>(ParseYaml(file.text, file.place), BuiltInReferences());
    fit.file = file.place;
    fit.hash = file.built_in ? std::string(EmbeddedHash("fits")) : Sha256(file.text);
    return fit;
  };
  if (LooksLikePath(name)) return read(ReadUserFile(std::string(name)));
  std::vector<std::string> known;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kFits)) {
    if (NormaliseName(file.name) == NormaliseName(name)) return read(file);
    known.push_back(file.name);
  }
  const std::string cure = DidYouMean(name, known);
  throw NotFoundError("fits: no coefficients '" + Printable(name) + "'" +
                      (cure.empty() ? "; known: " + JoinWithOr(known) : cure));
}

}  // namespace roofcast
