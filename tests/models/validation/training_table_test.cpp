// SPDX-License-Identifier: Apache-2.0
#include "models/validation/training_table.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "tests/models/validation/table.h"

namespace roofcast {

using testing::PlaybookRow;
using testing::TableOf;
using testing::With;

TEST_CASE("A training table is told by its header") {
  CHECK(IsTrainingTable(CsvReader(TableOf({}), "t.csv")));
  CHECK(!IsTrainingTable(CsvReader("source,model,metric,value\n", "t.csv")));
  CHECK(!IsTrainingTable(CsvReader("m,n,k,dtype,latency_us\n", "t.csv")));
}

TEST_CASE("An empty cell is unknown, not a value") {
  const std::string text = TableOf({With(PlaybookRow(), {{"ffn", ""}, {"zero", " "}})});
  TrainingTable table(text, "t.csv");
  REQUIRE(table.Next());
  CHECK(!table.facts().Has("ffn"));
  CHECK(!table.facts().Has("zero"));
  CHECK(table.facts().Text("layers") == "16");
  CHECK(!table.Next());
}

TEST_CASE("A run is told by everything but its figure") {
  const testing::Cells run = PlaybookRow();
  const std::string text =
      TableOf({run,
               With(run, {{"metric", "oom"}, {"value", "0"}, {"unit", "bool"}}),
               With(run, {{"mbs", "2"}})});
  TrainingTable table(text, "t.csv");
  REQUIRE(table.Next());
  const std::string first = table.RunKey();
  REQUIRE(table.Next());
  CHECK(table.RunKey() == first);
  REQUIRE(table.Next());
  CHECK(table.RunKey() != first);
}

TEST_CASE("A table without the columns that every row needs is refused by name") {
  CHECK_THROWS_WITH_AS(TrainingTable("source,model,metrics,value\n", "t.csv"),
                       doctest::Contains("no column 'metric'; did you mean 'metrics'?"),
                       SpecError);
  CHECK_THROWS_AS(TrainingTable("", "t.csv"), SpecError);
}

TEST_CASE("A misspelt column is refused, not taken for one that is missing") {
  std::string text = TableOf({PlaybookRow()});
  const std::size_t at = text.find("kv_heads");
  REQUIRE(at != std::string::npos);
  text.replace(at, 8, "kv_headss");
  CHECK_THROWS_WITH_AS(
      TrainingTable(text, "t.csv"), doctest::Contains("did you mean 'kv_heads'?"), ArgumentError);
}

TEST_CASE("A ragged row is refused with its place") {
  const std::string text = TableOf({}) + "a,b\n";
  TrainingTable table(text, "t.csv");
  CHECK_THROWS_WITH_AS(table.Next(), doctest::Contains("t.csv:2:"), SpecError);
}

}  // namespace roofcast
