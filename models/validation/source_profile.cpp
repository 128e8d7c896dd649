// SPDX-License-Identifier: Apache-2.0
#include "models/validation/source_profile.h"

#include <algorithm>

#include "core/embedded.h"
#include "core/spec_reader.h"
#include "core/text.h"

namespace roofcast {
namespace {

bool Hold(const std::map<std::string, std::string>& conditions, const Facts& facts) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    return facts.Text(condition.first) == condition.second;
  });
}

// The text after `mark`, where the mark begins a word: "GA=4; job 7" has 4 after "GA=".
std::string_view TextAfter(std::string_view text, std::string_view mark) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != ';') continue;
    const std::string_view rest = text.substr(at + mark.size());
    return Trim(rest.substr(0, rest.find(';')));
  }
  return {};
}

void CheckName(SpecReader& reader, const std::string& path, const std::string& fact) {
  if (!IsFactName(fact)) reader.AddProblem(path, Quoted(fact) + " is no fact of a row", "check it");
}

}  // namespace

bool ExclusionTest::Excludes(Metric metric, const Facts& facts) const {
  if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) return false;
  if (!Hold(when, facts)) return false;
  if (at_least) {
    const auto number = ParseInteger(facts.Text(at_least->fact));
    if (!number || *number < at_least->number) return false;
  }
  return lacks_one_of.empty() ||
         std::any_of(lacks_one_of.begin(), lacks_one_of.end(), [&](const std::string& fact) {
           return !facts.Has(fact);
         });
}

void SourceProfile::Check(SpecReader& reader) const {
  for (std::size_t i = 0; i < other.size(); ++i) {
    CheckName(reader, "other[" + std::to_string(i) + "].fact", other[i].fact);
  }
  for (std::size_t i = 0; i < implied.size(); ++i) {
    const std::string path = "implied[" + std::to_string(i) + "]";
    CheckName(reader, path + ".fact", implied[i].fact);
    for (const auto& condition : implied[i].when)
      CheckName(reader, path + ".when", condition.first);
  }
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::string path = "tests[" + std::to_string(i) + "]";
    for (const auto& condition : tests[i].when) CheckName(reader, path + ".when", condition.first);
    for (const auto& fact : tests[i].lacks_one_of) CheckName(reader, path + ".lacks_one_of", fact);
    if (tests[i].at_least) CheckName(reader, path + ".at_least.fact", tests[i].at_least->fact);
  }
}

bool SourceProfile::Matches(std::string_view source) const {
  return std::any_of(sources.begin(), sources.end(), [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return source == pattern;
    return source.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

const std::vector<SourceProfile>& SourceProfiles() {
  static const std::vector<SourceProfile> profiles = [] {
    std::vector<SourceProfile> read;
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      if (!file.path.starts_with("models/validation/sources/")) continue;
      read.push_back(ReadSpec<SourceProfile>(ParseYaml(file.text, std::string(file.path)),
                                             BuiltInReferences()));
    }
    return read;
  }();
  return profiles;
}

void CompleteFacts(Facts& facts) {
  for (const SourceProfile& profile : SourceProfiles()) {
    if (!profile.Matches(facts.Text("source"))) continue;
    for (const TextFact& text : profile.other) {
      facts.Add(text.fact, TextAfter(facts.Text("other"), text.after));
    }
    for (const ImpliedFact& implied : profile.implied) {
      if (Hold(implied.when, facts)) facts.Add(implied.fact, implied.value);
    }
  }
}

std::string ExclusionOf(Metric metric, const Facts& facts) {
  for (const SourceProfile& profile : SourceProfiles()) {
    if (!profile.Matches(facts.Text("source"))) continue;
    for (const ExclusionTest& test : profile.tests) {
      if (test.Excludes(metric, facts)) return test.name;
    }
  }
  return "";
}

}  // namespace roofcast
