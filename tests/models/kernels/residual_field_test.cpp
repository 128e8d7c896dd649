// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/residual_field.h"

#include <doctest/doctest.h>

#include "core/error.h"

namespace roofcast {

TEST_CASE("A correction is its weight at a point, and nothing far away") {
  const ResidualField field = ParsePoints("8 1024 -0.2", 2, 2);
  CHECK(field.At({{{{"m", 8}, {"n", 1024}}}, 2}) == doctest::Approx(-0.2));
  CHECK(field.At({{{{"m", 16}, {"n", 1024}}}, 2}) == doctest::Approx(-0.2 * std::exp(-0.5)));
  CHECK(std::abs(field.At({{{{"m", 1e20}, {"n", 1024}}}, 2})) < 1e-9);
  CHECK(ResidualField{}.At({{{{"m", 8}, {"n", 1024}}}, 2}) == 0);
}

TEST_CASE("Points read back as they were written") {
  const ResidualField field = ParsePoints("8 1024 -0.2; 3 7 0.125", 2, 4);
  const ResidualField again = ParsePoints(FormatPoints(field), 2, 4);
  CHECK(again.points == field.points);
  CHECK(again.weights == field.weights);
  CHECK_THROWS_AS(ParsePoints("8 -0.2", 2, 4), ArgumentError);
  CHECK_THROWS_AS(ParsePoints("8 0 -0.2", 2, 4), ArgumentError);
  CHECK_THROWS_AS(ParsePoints("8 x -0.2", 2, 4), ArgumentError);
}

}  // namespace roofcast
