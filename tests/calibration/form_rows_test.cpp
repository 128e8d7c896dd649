// SPDX-License-Identifier: Apache-2.0
#include "calibration/form_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "calibration/report.h"
#include "calibration/roofline_rows.h"
#include "calibration/solve.h"
#include "core/error.h"
#include "tests/calibration/synthetic.h"

namespace roofcast {
namespace {

using testing::kTruth;
using testing::RooflinePlan;
using testing::SeriesOf;
using testing::SyntheticGemms;

void CheckDerivatives(const FormRows& rows) {
  std::vector<double> at;
  for (const CoefficientInfo& info : rows.Infos()) at.push_back(std::log(info.range.prior));
  std::vector<double> gradient(at.size());
  constexpr double kStep = 1e-5;
  for (std::size_t row = 0; row < rows.Count(); row += 13) {
    CHECK(rows.LogTime(row, at.data(), gradient.data()) ==
          doctest::Approx(rows.LogTime(row, at.data(), nullptr)).epsilon(1e-12));
    for (std::size_t i = 0; i < at.size(); ++i) {
      auto low = at;
      auto high = at;
      low[i] -= kStep;
      high[i] += kStep;
      const double central =
          (rows.LogTime(row, high.data(), nullptr) - rows.LogTime(row, low.data(), nullptr)) /
          (2 * kStep);
      CHECK(gradient[i] == doctest::Approx(central).epsilon(1e-4).scale(1e-3));
    }
  }
}

}  // namespace

TEST_CASE("The time of a Jet is that of a double, its derivative the central difference") {
  const FamilyPlan plan = RooflinePlan();
  const MeasuredRows rows = SyntheticGemms(kTruth);
  const Series series = SeriesOf(rows, plan);
  CheckDerivatives(*PrepareRows("roofline_gemm", series.rows, {}));
  CheckDerivatives(*PrepareRows("tiled_gemm", series.rows, {}));
  CheckDerivatives(RooflineRows(series.rows));
  CHECK_THROWS_AS(PrepareRows("flash_prefill", series.rows, {}), ArgumentError);
  CHECK_THROWS_AS(PrepareRows("no_such_form", series.rows, {}), ArgumentError);
}

TEST_CASE("The datasheet roofline is the slower of work and traffic at the peaks") {
  const FamilyPlan plan = RooflinePlan();
  const MeasuredRows rows = SyntheticGemms(kTruth);
  const Series series = SeriesOf(rows, plan);
  const RooflineRows roofline(series.rows);
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    const Gemm& op = std::get<Gemm>(series.rows[i]->op);
    const double m = Number(op.m), n = Number(op.n), k = Number(op.k);
    const double compute = 2 * m * n * k / 989.4e6;  // flop/us
    const double memory = 2 * (m * n + m * k + n * k) / 3.35e6;
    CHECK(roofline.DatasheetTime(i) == doctest::Approx(std::max(compute, memory)).epsilon(1e-9));
  }
}

TEST_CASE("A coefficient that the data does not identify stays near its prior with a wide error") {
  const FamilyPlan plan = RooflinePlan();
  MeasuredRows rows = SyntheticGemms(kTruth);
  // Vectors alone: the time of computing never shows.
  std::erase_if(rows.rows, [](const MeasuredRow& row) { return std::get<Gemm>(row.op).m > 1; });
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  CHECK(std::sqrt(fit.covariance[5]) < 5);  // never a failure
  CHECK(std::exp(fit.parameters[1]) == doctest::Approx(0.75).epsilon(0.2));
  CHECK(std::exp(fit.parameters[2]) == doctest::Approx(kTruth.memory_efficiency).epsilon(0.05));
}

TEST_CASE("An efficiency above one is held at one") {
  const FamilyPlan plan = RooflinePlan();
  testing::Truth truth = kTruth;
  truth.compute_efficiency = 1.3;
  const MeasuredRows rows = SyntheticGemms(truth);
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  CHECK(std::exp(fit.parameters[1]) == doctest::Approx(1).epsilon(1e-6));
  CHECK(fit.covariance[5] >= 0);
}

}  // namespace roofcast
