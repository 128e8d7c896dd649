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
namespace {

constexpr std::string_view kSecond = "\n---\n";

// The second document: "- covariance: 1 2 3" opens a series, "  points: ..." may follow.
void ReadNumbers(std::string_view text, const std::string& place, std::size_t line, Fit& fit) {
  constexpr std::string_view kCovariance = "- covariance: ";
  constexpr std::string_view kPoints = "  points: ";
  const auto refuse = [&](const std::string& what, const std::string& cure) {
    throw SpecError({{{place, static_cast<int>(line), 1}, "", what, cure}});
  };
  std::size_t next = 0;
  for (; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (Trim(row).empty()) continue;
    if (row.starts_with(kCovariance)) {
      if (next == fit.series.size()) {
        refuse("more entries than the " + std::to_string(next) + " series", "write one for each");
      }
      fit.series[next++].covariance = row.substr(kCovariance.size());
    } else if (row.starts_with(kPoints) && next > 0 && fit.series[next - 1].residual) {
      fit.series[next - 1].residual->points = row.substr(kPoints.size());
    } else {
      refuse(Quoted(row) + " is not expected here",
             "write '- covariance: ...' and, for a series with a residual, '  points: ...'");
    }
  }
  if (next != fit.series.size()) {
    refuse("entries for " + std::to_string(next) + " of " + std::to_string(fit.series.size()) +
               " series",
           "write one for each, in their order");
  }
}

}  // namespace

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

bool IsFitText(std::string_view text) {
  const std::string_view first = text.substr(0, text.find(kSecond));
  return first.find("\ncoefficients:") != std::string_view::npos;
}

Fit ReadFit(std::string_view text, const std::string& place) {
  const std::size_t end = text.find(kSecond);
  Fit fit = ReadSpec<Fit>(ParseYaml(text.substr(0, end), place), BuiltInReferences());
  if (end != std::string_view::npos) {
    const std::string_view first = text.substr(0, end + kSecond.size());
    const auto line = static_cast<std::size_t>(std::count(first.begin(), first.end(), '\n')) + 1;
    ReadNumbers(text.substr(first.size()), place, line, fit);
  }
  return fit;
}

Fit LoadFit(std::string_view name) {
  const auto read = [](const CatalogFile& file) {
    Fit fit = ReadFit(file.text, file.place);
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
