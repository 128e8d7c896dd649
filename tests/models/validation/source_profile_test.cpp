// SPDX-License-Identifier: Apache-2.0
#include "models/validation/source_profile.h"

#include <doctest/doctest.h>

#include "core/spec_reader.h"
#include "tests/models/validation/table.h"

namespace roofcast {
namespace {

using testing::Cells;
using testing::PlaybookRow;
using testing::With;

Facts Completed(const Cells& row) {
  Facts facts = testing::FactsOf(row);
  CompleteFacts(facts);
  return facts;
}

Cells Job(const char* number, const char* fixed) {
  const std::string text = std::string("GA=4; job ") + number + "; after_pp_fix=" + fixed;
  return With(PlaybookRow(), {{"other", text}});
}

}  // namespace

TEST_CASE("Facts in a text are read by their marks, and nothing else is") {
  const Facts facts = Completed(PlaybookRow());
  CHECK(facts.Text("micro_batches") == "4");
  CHECK(facts.Text("tied_embeddings") == "True");
  CHECK(facts.Text("job") == "14100001");
  CHECK(facts.Text("after_pp_fix") == "True");
  const Facts inside = Completed(With(PlaybookRow(), {{"other", "MEGA=8; nojob 7; job "}}));
  CHECK(!inside.Has("micro_batches"));
  CHECK(!inside.Has("job"));
}

TEST_CASE("What a source implies never replaces what a row records") {
  const Facts recorded = Completed(With(PlaybookRow(), {{"recompute", "full"}, {"kv_heads", "8"}}));
  CHECK(recorded.Text("recompute") == "full");
  CHECK(recorded.Text("kv_heads") == "8");
  const Facts implied = Completed(With(PlaybookRow(), {{"kv_heads", ""}}));
  CHECK(implied.Text("recompute") == "none");
  CHECK(implied.Text("kv_heads") == "32");
  CHECK(implied.Text("framework") == "nanotron");
  CHECK(implied.Text("value_unit") == "GiB");
}

TEST_CASE("The stage rule follows the build, and stays unknown when the build is") {
  CHECK(Completed(Job("1", "True")).Text("stage_rule") == "by-cost");
  CHECK(Completed(Job("1", "False")).Text("stage_rule") == "by-cost-passing");
  CHECK(!Completed(Job("1", "")).Has("stage_rule"));
}

TEST_CASE("Nothing is implied of another source") {
  const Facts facts = Completed(With(PlaybookRow(), {{"source", "A paper"}, {"recompute", ""}}));
  CHECK(!facts.Has("framework"));
  CHECK(!facts.Has("recompute"));
  CHECK(!facts.Has("micro_batches"));
}

TEST_CASE("The broken build is excluded from times, not from memory") {
  const Facts broken = Completed(Job("13840000", "False"));
  CHECK(ExclusionOf(Metric::kStepTime, broken) == "broken build");
  CHECK(ExclusionOf(Metric::kTokensPerSecond, broken) == "broken build");
  CHECK(ExclusionOf(Metric::kMemory, broken).empty());
  CHECK(ExclusionOf(Metric::kFits, broken).empty());
  CHECK(ExclusionOf(Metric::kStepTime, Completed(Job("13839999", "False"))).empty());
  CHECK(ExclusionOf(Metric::kStepTime, Completed(Job("13840000", "True"))).empty());
}

TEST_CASE("Rows without layers or degrees are excluded whatever the source") {
  for (const char* cell : {"layers", "tp", "pp"}) {
    const Facts facts = Completed({{"source", "Any"}, {"layers", "1"}, {"tp", "1"}, {"pp", "1"}});
    CHECK(ExclusionOf(Metric::kMemory, facts).empty());
    const Facts lacking = Completed(
        With({{"source", "Any"}, {"layers", "1"}, {"tp", "1"}, {"pp", "1"}}, {{cell, ""}}));
    CHECK(ExclusionOf(Metric::kMemory, lacking) == "without layers or parallel degrees");
  }
}

TEST_CASE("A profile that names no fact of a row is refused") {
  const char* text = "name: x\ntitle: X\nsources: [X]\nother: [{fact: colour, after: 'c='}]\n";
  CHECK_THROWS_WITH_AS(ReadSpec<SourceProfile>(ParseYaml(text, "x.yaml"), {}),
                       doctest::Contains("'colour' is no fact of a row"),
                       SpecError);
}

TEST_CASE("A profile that cites nothing known is refused") {
  const char* text = "name: x\ntitle: X\nsources: [X]\nfrom: nowhere\n";
  CHECK_THROWS_AS(ReadSpec<SourceProfile>(ParseYaml(text, "x.yaml"), {}), SpecError);
}

}  // namespace roofcast
