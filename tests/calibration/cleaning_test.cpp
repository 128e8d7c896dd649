// SPDX-License-Identifier: Apache-2.0
#include "calibration/cleaning.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/error.h"

namespace roofcast {
namespace {

// A table of different shapes whose datasheet times grow from 20 us, each measured at `ratio` times
// that.
std::vector<CleaningRow> Table(std::size_t rows, double ratio) {
  std::vector<CleaningRow> table;
  table.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    CleaningRow row;
    row.identity = "shape " + std::to_string(i);
    row.line = static_cast<std::int64_t>(i) + 2;
    row.compute = Seconds(20e-6 * (1 + static_cast<double>(i)));
    row.traffic = row.compute * 0.5;
    row.time = row.compute * ratio;
    table.push_back(row);
  }
  return table;
}

CleaningRow Repeat(const CleaningRow& row, double factor, std::int64_t line) {
  CleaningRow repeat = row;
  repeat.time = row.time * factor;
  repeat.line = line;
  return repeat;
}

// Every row is kept, in a median or named as dropped.
void CheckComplete(const std::vector<CleaningRow>& rows, const Cleaned& cleaned) {
  std::int64_t count = 0;
  for (const KeptRow& kept : cleaned.kept) count += kept.repeats;
  for (const DroppedRows& dropped : cleaned.dropped) count += dropped.count;
  CHECK(count == static_cast<std::int64_t>(rows.size()));
}

}  // namespace

TEST_CASE("Plausible rows all stay as they are") {
  const auto rows = Table(20, 1.3);
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  REQUIRE(cleaned.kept.size() == 20);
  CHECK(cleaned.dropped.empty());
  CHECK(cleaned.merged == 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(cleaned.kept[i].index == i);
    CHECK(cleaned.kept[i].time == rows[i].time);
    CHECK(cleaned.kept[i].repeats == 1);
  }
}

TEST_CASE("A row faster than the device can work is dropped with its line") {
  auto rows = Table(20, 1.3);
  rows[3].time = rows[3].compute / 1.6;
  rows[7].time = rows[7].compute / 1.4;
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) ==
        "1 row: more than 1.5 times as fast as the device's peak (line 5)");
}

TEST_CASE("Caches excuse a row that is faster than memory, up to what caches can do") {
  auto rows = Table(20, 1.3);
  for (const std::size_t i : {2U, 3U, 4U}) {
    rows[i].compute = Seconds(0);
    rows[i].traffic = rows[i].time * (i == 4 ? 12 : 5);
    rows[i].cached = i != 2;
  }
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 2);
  CHECK(cleaned.dropped[0].reason == "more than 1.5 times as fast as the bandwidth");
  CHECK(cleaned.dropped[0].lines == std::vector<std::int64_t>{4});
  CHECK(cleaned.dropped[1].reason == "more than 10 times as fast as the bandwidth with caches");
  CHECK(cleaned.dropped[1].lines == std::vector<std::int64_t>{6});
}

TEST_CASE("A row that is slower by three orders is dropped, a slow short one is not") {
  auto rows = Table(20, 1.3);
  rows[5].time = rows[5].time * 1000;
  rows[6].compute = rows[6].traffic = Seconds(1e-9);
  rows[6].time = Seconds(1e-3);  // a launch of a millisecond, 200 times the usual one
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(cleaned.dropped[0].reason == "more than 1000 times as slow as the datasheet");
  CHECK(cleaned.dropped[0].lines == std::vector<std::int64_t>{7});
}

TEST_CASE("A short row that is slower by three orders stands out from its table") {
  auto rows = Table(40, 1.3);
  for (const std::size_t i : {5U, 6U}) {
    rows[i].compute = rows[i].traffic = Seconds(1e-9);
    rows[i].time = Seconds(i == 5 ? 2.5e-3 : 0.9e-3);  // of 2.5 us, and a slow one
  }
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) ==
        "1 row: more than 150 times as slow, beside the datasheet, as nine rows of ten (line 7)");
  rows.resize(19);  // too few to say what most are like
  CHECK(Clean(rows, "gemm.csv").dropped.empty());
}

TEST_CASE("A table in milliseconds or nanoseconds is refused as a whole") {
  CHECK_THROWS_WITH_AS(
      Clean(Table(20, 1.3e-3), "data/gemm.csv"),
      "data/gemm.csv: latency_us: looks like milliseconds: the median row takes 0.0013 times what "
      "the datasheet asks for; write microseconds, and check that the rows are of this device",
      SpecError);
  CHECK_THROWS_AS(Clean(Table(20, 1.3e3), "gemm.csv"), SpecError);
  CHECK_NOTHROW(Clean(Table(20, 0.7), "gemm.csv"));
  CHECK_NOTHROW(Clean(Table(20, 50), "gemm.csv"));
}

TEST_CASE("Rows without a datasheet time are judged by their repeats only") {
  auto rows = Table(20, 1e-5);
  for (CleaningRow& row : rows) row.compute = row.traffic = Seconds(0);
  for (CleaningRow& row : rows) row.time = Seconds(20e-6);
  rows[3].time = Seconds(1);  // of a collective, say
  CHECK(Clean(rows, "all_reduce.csv").kept.size() == 20);
}

TEST_CASE("No operator takes less than a tenth of a microsecond") {
  auto rows = Table(8, 1.3);
  for (const std::size_t i : {1U, 2U}) rows[i].compute = rows[i].traffic = Seconds(0);
  rows[1].time = Seconds(11e-8);
  rows[2].time = Seconds(9e-8);
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) == "1 row: less than 100 ns (line 4)");
}

TEST_CASE("Times that are no positive numbers are dropped") {
  auto rows = Table(8, 1.3);
  rows[0].time = Seconds(-1e-6);
  rows[1].time = Seconds(0);
  rows[2].time = Seconds(std::numeric_limits<double>::quiet_NaN());
  rows[3].time = Seconds(std::numeric_limits<double>::infinity());
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) == "4 rows: time is no positive number (lines 2, 3, 4, 5)");
}

TEST_CASE("Equal repeats count once, differing ones become their median") {
  auto rows = Table(10, 1.3);
  rows.push_back(Repeat(rows[1], 1, 20));
  rows.push_back(Repeat(rows[1], 1, 21));
  rows.push_back(Repeat(rows[1], 1.1, 22));
  rows.push_back(Repeat(rows[1], 1.5, 23));
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.kept.size() == 10);
  CHECK(cleaned.kept[1].index == 1);
  CHECK(cleaned.kept[1].repeats == 3);
  CHECK(cleaned.kept[1].time.value() == doctest::Approx(rows[1].time.value() * 1.1));
  CHECK(cleaned.merged == 2);
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) == "2 rows: repeats another row to the digit (lines 20, 21)");
}

TEST_CASE("Two repeats that contradict each other both go, of three the odd one out") {
  auto rows = Table(10, 1.3);
  rows.push_back(Repeat(rows[1], 2.5, 20));
  rows.push_back(Repeat(rows[2], 1.2, 21));
  rows.push_back(Repeat(rows[2], 3, 22));
  const Cleaned cleaned = Clean(rows, "gemm.csv");
  CheckComplete(rows, cleaned);
  REQUIRE(cleaned.kept.size() == 9);
  CHECK(cleaned.kept[1].index == 2);
  CHECK(cleaned.kept[1].time.value() == doctest::Approx(rows[2].time.value() * 1.1));
  REQUIRE(cleaned.dropped.size() == 1);
  CHECK(Format(cleaned.dropped[0]) ==
        "3 rows: repeats differ by more than 2 times (lines 3, 20, 22)");
}

TEST_CASE("Of many dropped rows the count and the first lines are named") {
  auto rows = Table(20, 1.3);
  for (std::size_t i = 0; i < 7; ++i) rows[i].time = rows[i].compute / 4;
  CHECK(Format(Clean(rows, "gemm.csv").dropped.at(0)) ==
        "7 rows: more than 1.5 times as fast as the device's peak (lines 2, 3, 4, 5, 6, ...)");
}

}  // namespace roofcast
