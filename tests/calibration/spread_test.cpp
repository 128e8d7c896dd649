// SPDX-License-Identifier: Apache-2.0
#include "calibration/spread.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/calibration/synthetic.h"

namespace roofcast {

TEST_CASE("A quantile has as much below it as it says, for a new value") {
  CHECK(Quantile({4, 1, 3, 2}, 0.5) == doctest::Approx(2.5));
  CHECK(Quantile({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.1) == doctest::Approx(1));
  CHECK(Quantile({1, 2, 3}, 0.01) == 1);
  CHECK(Quantile({7}, 0.95) == 7);
}

TEST_CASE("A spread holds 90 % of normal residuals, each regime by its own width") {
  testing::Noise random(7);
  std::vector<double> residuals;
  std::vector<std::string> regimes;
  std::vector<std::string> keys;
  for (int i = 0; i < 4000; ++i) {
    const bool wide = i % 2 == 0;
    residuals.push_back((wide ? 0.2 : 0.02) * random.Normal());
    regimes.emplace_back(wide ? "wide" : "narrow");
    keys.push_back(std::to_string(i));
  }
  const auto spreads = SpreadOfResiduals(residuals, regimes);
  REQUIRE(spreads.size() == 3);
  CHECK(spreads[0].regime == "all");
  CHECK(spreads[1].regime == "narrow");
  CHECK(std::log(spreads[1].high) == doctest::Approx(1.645 * 0.02).epsilon(0.1));
  CHECK(std::log(spreads[2].low) == doctest::Approx(-1.645 * 0.2).epsilon(0.1));
  CHECK(HeldOutCoverage(residuals, regimes, keys) == doctest::Approx(90).epsilon(0.015));
}

TEST_CASE("A regime of a few rows leans on the whole") {
  std::vector<double> residuals(200, 0.0);
  std::vector<std::string> regimes(200, "many");
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = i % 2 == 0 ? 0.1 : -0.1;
  residuals.push_back(0);
  regimes.emplace_back("one");
  const auto spreads = SpreadOfResiduals(residuals, regimes);
  CHECK(spreads[2].regime == "one");
  CHECK(std::log(spreads[2].high) == doctest::Approx(0.1 * 15 / 16).epsilon(0.01));
}

}  // namespace roofcast
