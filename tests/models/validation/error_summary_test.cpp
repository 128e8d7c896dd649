// SPDX-License-Identifier: Apache-2.0
#include "models/validation/error_summary.h"

#include <doctest/doctest.h>

#include <cmath>

namespace roofcast {

TEST_CASE("Errors are percent of what was measured") {
  const ErrorSummary errors = Summarise({1.1, 0.8, 3}, {1, 1, 3});
  CHECK(errors.rows == 3);
  CHECK(errors.mape == doctest::Approx(10));
  CHECK(errors.median == doctest::Approx(10));
  CHECK(errors.p90 == doctest::Approx(18));
  CHECK(errors.worst == doctest::Approx(20));
  CHECK(errors.bias == doctest::Approx(-10.0 / 3));
}

TEST_CASE("Errors of quantities are those of their numbers") {
  const std::vector<Seconds> predicted = {Seconds(2)};
  const std::vector<Seconds> measured = {Seconds(1)};
  CHECK(Summarise(predicted, measured).mape == doctest::Approx(100));
}

TEST_CASE("The rank correlation is 1 for the same order, -1 for the reverse") {
  CHECK(*RankCorrelation({1, 2, 3}, {10, 11, 99}) == doctest::Approx(1));
  CHECK(*RankCorrelation({3, 2, 1}, {10, 11, 99}) == doctest::Approx(-1));
}

TEST_CASE("Tied ranks share their mean") {
  // Ranks 1.5 1.5 3 against 1 2 3: covariance 1.5, spreads 1.5 and 2.
  CHECK(*RankCorrelation({5, 5, 7}, {1, 2, 3}) == doctest::Approx(1.5 / std::sqrt(3.0)));
}

TEST_CASE("Without two different values there is no order") {
  CHECK(!RankCorrelation({1}, {1}));
  CHECK(!RankCorrelation({1, 1}, {1, 2}));
}

}  // namespace roofcast
