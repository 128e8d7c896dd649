// SPDX-License-Identifier: Apache-2.0
#include "models/validation/cross_validation.h"

#include <doctest/doctest.h>

#include "models/validation/groups.h"

namespace roofcast {
namespace {

FitsOutcome Run(double pressure, bool fits) {
  FitsOutcome outcome;
  outcome.pressure = pressure;
  outcome.measured = fits;
  outcome.predicted = pressure <= 1;
  return outcome;
}

RowOutcome FitsRow(int fold, double pressure, bool fits) {
  RowOutcome row;
  row.figure = FindTableMetric("oom");
  row.status = RowStatus::kPredicted;
  row.fold = fold;
  row.fits = Run(pressure, fits);
  return row;
}

RowOutcome MemoryRow(int fold, double predicted, double measured) {
  RowOutcome row;
  row.figure = FindTableMetric("mem_allocated_per_gpu");
  row.status = RowStatus::kPredicted;
  row.fold = fold;
  row.predicted = predicted;
  row.measured = measured;
  return row;
}

double Threshold(const std::vector<FitsOutcome>& runs) {
  std::vector<const FitsOutcome*> pointers;
  pointers.reserve(runs.size());
  for (const FitsOutcome& run : runs) pointers.push_back(&run);
  return BestThreshold(pointers);
}

}  // namespace

TEST_CASE("The best threshold lies between what fits and what does not") {
  CHECK(Threshold({Run(1, true), Run(2, true), Run(4, false), Run(5, false)}) == 3);
  // One run on the wrong side: two thresholds have three right, the upper is the middle one.
  CHECK(Threshold({Run(1, true), Run(2, false), Run(3, true), Run(4, false)}) == 3.5);
  CHECK(Threshold({Run(2, true)}) == 4);
  CHECK(Threshold({Run(2, false)}) == 1);
}

TEST_CASE("Rows of one pressure are never told apart") {
  CHECK(Threshold({Run(1, true), Run(2, true), Run(2, true), Run(2, false)}) == 4);
}

TEST_CASE("A fold's threshold is chosen without its rows") {
  // Of the other fold everything up to 8 fits; of the own nothing above 3 does.
  std::vector<RowOutcome> rows = {
      FitsRow(0, 2, true), FitsRow(0, 4, false), FitsRow(1, 7, true), FitsRow(1, 9, false)};
  CrossValidate(rows);
  CHECK(*rows[0].fits->cross_validated);
  CHECK(*rows[1].fits->cross_validated);  // wrong, as a threshold of 8 has it
  CHECK(!*rows[2].fits->cross_validated);
  CHECK(!*rows[3].fits->cross_validated);
}

TEST_CASE("A fold's constant is the median of what the other folds miss") {
  std::vector<RowOutcome> rows = {
      MemoryRow(0, 10, 11), MemoryRow(1, 10, 12), MemoryRow(1, 10, 13), MemoryRow(2, 10, 99)};
  CrossValidate(rows);
  CHECK(*rows[0].cross_validated == 13);  // of 2, 3 and 89
  CHECK(*rows[1].cross_validated == 10 + (1 + 89) / 2.0);
}

TEST_CASE("Rows of one fold alone have nothing to be cross-validated with") {
  std::vector<RowOutcome> rows = {FitsRow(3, 1, true), FitsRow(3, 2, false)};
  CrossValidate(rows);
  CHECK(!rows[0].fits->cross_validated);
  CHECK(!Totals(rows).front().fits->cross_validated);
}

}  // namespace roofcast
