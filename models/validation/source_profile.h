// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/validation/facts.h"
#include "models/validation/metric.h"

// What is known of a published table beyond its cells: which framework ran, what its figures mean,
// which rows are broken. One YAML of models/validation/sources/ for each source, with the evidence
// of every statement. Nothing here looks at a prediction.
namespace roofcast {

// A fact in the text of column `other`: what stands after a mark, up to the next ';'.
struct TextFact {
  std::string fact;
  std::string after;

  template <class V>
  static void Fields(V& v) {
    v("fact", &TextFact::fact, "what the text tells");
    v("after", &TextFact::after, "the mark before it, as 'GA='");
  }
};

// A fact that holds for every row of the source in which it isn't recorded.
struct ImpliedFact {
  std::string fact;
  std::string value;
  std::map<std::string, std::string> when;
  std::string evidence;

  template <class V>
  static void Fields(V& v) {
    v("fact", &ImpliedFact::fact, "what is implied, where the row doesn't record it");
    v("value", &ImpliedFact::value, "the word or number that it is");
    v("when", &ImpliedFact::when, "only in rows with these facts");
    v("evidence", &ImpliedFact::evidence, "how it is known");
  }
};

struct AtLeast {
  std::string fact;
  std::int64_t number = 0;

  template <class V>
  static void Fields(V& v) {
    v("fact", &AtLeast::fact, "a fact that is a whole number");
    v("number", &AtLeast::number, "the least that it is", FieldRule::kNoSource);
  }
};

// An objective test that excludes rows: each condition given must hold.
struct ExclusionTest {
  std::string name;
  std::vector<Metric> metrics;
  std::vector<std::string> lacks_one_of;
  std::map<std::string, std::string> when;
  std::optional<AtLeast> at_least;
  std::string evidence;

  template <class V>
  static void Fields(V& v) {
    v("name", &ExclusionTest::name, "what excluded rows are counted under");
    v("metrics", &ExclusionTest::metrics, "the metrics that it is for");
    v("lacks_one_of", &ExclusionTest::lacks_one_of, "true when one of these facts is unknown");
    v("when", &ExclusionTest::when, "true in rows with these facts");
    v("at_least", &ExclusionTest::at_least, "true when a number is this or more");
    v("evidence", &ExclusionTest::evidence, "why such rows measure something else");
  }
  bool Excludes(Metric metric, const Facts& facts) const;
};

struct SourceProfile {
  std::string name;
  std::string title;
  std::vector<std::string> sources;
  std::vector<TextFact> other;
  std::vector<ImpliedFact> implied;
  std::vector<ExclusionTest> tests;

  template <class V>
  static void Fields(V& v) {
    v("name", &SourceProfile::name, "kebab-case; the file is called the same with '_'");
    v("title", &SourceProfile::title, "what was published");
    v("sources", &SourceProfile::sources, "its texts in column source; '*' at the end: any more");
    v("other", &SourceProfile::other, "facts in the text of column other");
    v("implied", &SourceProfile::implied, "facts that its rows don't record; the first that holds");
    v("tests", &SourceProfile::tests, "rows that are excluded");
  }
  void Check(class SpecReader& reader) const;
  bool Matches(std::string_view source) const;
};

// All built-in profiles, read once.
const std::vector<SourceProfile>& SourceProfiles();

// Completes the facts of a row by every profile of its source.
void CompleteFacts(Facts& facts);
// The name of the first test that excludes the row for a metric, or "".
std::string ExclusionOf(Metric metric, const Facts& facts);

}  // namespace roofcast
