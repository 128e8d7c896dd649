// SPDX-License-Identifier: Apache-2.0
#include "models/validation/groups.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace roofcast {
namespace {

RowOutcome Row(const char* metric, const char* source, RowStatus status = RowStatus::kPredicted) {
  RowOutcome row;
  row.figure = FindTableMetric(metric);
  row.source = source;
  row.status = status;
  row.reason = status == RowStatus::kExcluded ? "a test" : "";
  row.measured = 100;
  row.predicted = 110;
  return row;
}

const RowGroup* Find(const std::vector<RowGroup>& groups, const char* key, const char* value) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const RowGroup& group) {
    return group.by.begin()->first == key && group.name == value;
  });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("A total counts predicted, refused and excluded rows of its metric alone") {
  const std::vector<RowGroup> totals =
      Totals({Row("mem_allocated_per_gpu", "a"),
              Row("mem_allocated_per_gpu", "b", RowStatus::kRefused),
              Row("peak_memory_per_gpu", "b", RowStatus::kExcluded),
              Row("step_time", "b", RowStatus::kRefused)});
  REQUIRE(totals.size() == 2);
  CHECK(totals[0].metric == Metric::kStepTime);
  CHECK(totals[0].rows == 0);
  CHECK(!totals[0].errors);
  CHECK(totals[1].metric == Metric::kMemory);
  CHECK(totals[1].rows == 1);
  CHECK(totals[1].refused == 1);
  CHECK(totals[1].excluded.at("a test") == 1);
  CHECK(totals[1].errors->predicted.mape == doctest::Approx(10));
}

TEST_CASE("Reserved memory has a group of its own and is in no other") {
  const std::vector<RowOutcome> rows = {Row("mem_allocated_per_gpu", "a"),
                                        Row("mem_reserved_per_gpu", "a")};
  CHECK(Totals(rows).front().rows == 1);
  const std::vector<RowGroup> groups = Groups(rows);
  CHECK(Find(groups, "source", "a")->rows == 1);
  CHECK(Find(groups, "regime", "reserved")->rows == 1);
  CHECK(Find(groups, "regime", "allocated")->rows == 1);
}

TEST_CASE("A group by source has the source as its name and nothing else in by") {
  const std::vector<RowGroup> groups = Groups({Row("oom", "a b", RowStatus::kRefused)});
  const RowGroup* group = Find(groups, "source", "a b");
  REQUIRE(group != nullptr);
  CHECK(group->by == std::map<std::string, std::string>{{"source", "a b"}});
}

TEST_CASE("More than one refused row in twenty makes a group incomplete, excluded ones don't") {
  RowGroup group;
  group.rows = 19;
  group.refused = 1;
  group.excluded["a test"] = 100;
  CHECK(!group.Incomplete());
  group.refused = 2;
  CHECK(group.Incomplete());
}

TEST_CASE("Fits are counted four ways") {
  Confusion confusion;
  confusion.Add(true, true);
  confusion.Add(true, false);
  confusion.Add(false, true);
  confusion.Add(false, false);
  confusion.Add(false, false);
  CHECK(confusion.fits_as_fits == 1);
  CHECK(confusion.fits_as_oom == 1);
  CHECK(confusion.oom_as_fits == 1);
  CHECK(confusion.oom_as_oom == 2);
  CHECK(confusion.Right() == doctest::Approx(60));
}

}  // namespace roofcast
