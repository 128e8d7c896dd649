// SPDX-License-Identifier: Apache-2.0
#include "calibration/series_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "calibration/solve.h"
#include "tests/calibration/synthetic.h"

namespace roofcast {
namespace {

using testing::kTruth;
using testing::Making;
using testing::RooflinePlan;
using testing::SeriesOf;
using testing::SyntheticGemms;

std::vector<double> Values(const SeriesFit& fit) {
  std::vector<double> values;
  for (const double one : fit.parameters) values.push_back(std::exp(one));
  return values;
}

void CheckNear(const SeriesFit& fit, double tolerance) {
  const std::vector<double> values = Values(fit);
  CHECK(values[0] == doctest::Approx(kTruth.intercept).epsilon(tolerance));
  CHECK(values[1] == doctest::Approx(kTruth.compute_efficiency).epsilon(tolerance));
  CHECK(values[2] == doctest::Approx(kTruth.memory_efficiency).epsilon(tolerance));
  CHECK(values[3] == doctest::Approx(kTruth.overlap).epsilon(10 * tolerance));
}

}  // namespace

TEST_CASE("Exact rows give back the coefficients that made them") {
  const FamilyPlan plan = RooflinePlan();
  const MeasuredRows rows = SyntheticGemms(kTruth);
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  CheckNear(fit, 0.01);
  CHECK(SummariseResiduals(fit.in_sample).mape < 0.5);
  CHECK(fit.agreeing_starts == fit.starts);
}

TEST_CASE("Noise and outliers move coefficients by no more than their errors say") {
  const FamilyPlan plan = RooflinePlan();
  const Making making{0.05, 3};
  const MeasuredRows rows = SyntheticGemms(kTruth, making);
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  const double truth[] = {
      kTruth.intercept, kTruth.compute_efficiency, kTruth.memory_efficiency, kTruth.overlap};
  for (std::size_t i = 0; i < 4; ++i) {
    const double error = std::sqrt(fit.covariance[i * 5]);
    CHECK(error > 0.001);
    CHECK(error < 0.3);
    CHECK(std::abs(fit.parameters[i] - std::log(truth[i])) < 4 * error);
  }
}

TEST_CASE("A framework's factor is found beside shared coefficients") {
  const FamilyPlan plan = RooflinePlan();
  MeasuredRows rows = SyntheticGemms(kTruth);
  Making slower;
  slower.framework = "sglang";
  testing::Truth truth = kTruth;
  truth.intercept *= 1.3;
  MeasuredRows others = SyntheticGemms(truth, slower);
  others.rows.resize(80);  // the smaller group, so that the factor is its own
  rows.rows.insert(rows.rows.end(), others.rows.begin(), others.rows.end());
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  CHECK(fit.groups == std::vector<std::string>{"vllm", "sglang"});
  REQUIRE(fit.parameters.size() == 5);
  CHECK(std::exp(fit.parameters[4]) == doctest::Approx(1.3).epsilon(0.01));
  CheckNear(fit, 0.01);
}

TEST_CASE("A row left out is predicted without any row of its key") {
  const FamilyPlan plan = RooflinePlan();
  MeasuredRows rows = SyntheticGemms(kTruth, {0.05, 1});
  const SeriesFit before = FitSeries(SeriesOf(rows, plan));
  // Times of one key become absurd: what is said of them without them stays the same.
  const std::string key = rows.rows.front().key;
  for (MeasuredRow& row : rows.rows) {
    if (row.key == key) row.time *= 7;
  }
  const SeriesFit after = FitSeries(SeriesOf(rows, plan));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.rows[i].key != key) continue;
    CHECK(after.held_out[i] - before.held_out[i] == doctest::Approx(std::log(7)).epsilon(0.01));
    CHECK(after.held_out_corrected[i] - before.held_out_corrected[i] ==
          doctest::Approx(std::log(7)).epsilon(0.01));
    CHECK(after.held_out_roofline[i] - before.held_out_roofline[i] ==
          doctest::Approx(std::log(7)).epsilon(0.01));
  }
}

TEST_CASE("A pooled series leaves out one architecture at a time") {
  const FamilyPlan plan = RooflinePlan();
  MeasuredRows rows = SyntheticGemms(kTruth);
  Making other;
  other.device = "a100-sxm";
  testing::Truth truth = kTruth;
  truth.compute_efficiency /= 2;
  const MeasuredRows more = SyntheticGemms(truth, other);
  rows.rows.insert(rows.rows.end(), more.rows.begin(), more.rows.end());
  Series series = SeriesOf(rows, plan);
  series.by_generation = true;
  const SeriesFit fit = FitSeries(series);
  // Each generation is predicted by the other alone: large products are off by the factor of two.
  const auto at = [&](std::size_t offset) { return fit.held_out[offset + 159]; };
  CHECK(at(0) == doctest::Approx(-std::log(2)).epsilon(0.1));
  CHECK(at(160) == doctest::Approx(std::log(2)).epsilon(0.1));
}

TEST_CASE("A smooth error of the form is corrected, and only where there is data") {
  const FamilyPlan plan = RooflinePlan();
  MeasuredRows rows = SyntheticGemms(kTruth, {0.02, 1});
  for (MeasuredRow& row : rows.rows) {
    const Gemm& op = std::get<Gemm>(row.op);
    row.time *= std::exp(0.15 * std::sin(std::log2(static_cast<double>(op.m)) / 2));
  }
  const SeriesFit fit = FitSeries(SeriesOf(rows, plan));
  CHECK(fit.IsCorrected());
  CHECK(SummariseResiduals(fit.held_out_corrected).mape <
        0.7 * SummariseResiduals(fit.held_out).mape);
  const SizeList far{{{{"m", 1e30}, {"n", 1e30}, {"k", 1e30}}}, 3};
  CHECK(std::abs(fit.field.At(far)) < 1e-6);
}

TEST_CASE("Five random starts of a plain fit end at one cost") {
  const FamilyPlan plan = RooflinePlan();
  const MeasuredRows rows = SyntheticGemms(kTruth, {0.05, 3});
  const Series series = SeriesOf(rows, plan);
  const auto form = PrepareRows(plan.form, series.rows, {});
  FitTask task;
  task.rows = form.get();
  task.groups = {"vllm"};
  for (const MeasuredRow* row : series.rows) {
    task.log_times.push_back(std::log(row->time));
    task.group.push_back(0);
    task.weights.push_back(1);
  }
  std::vector<std::size_t> all(series.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto solutions = SolveFromRandom(task, all, 5, 3);
  for (const Solution& one : solutions) {
    CHECK(one.cost == doctest::Approx(solutions.front().cost).epsilon(0.01));
  }
}

}  // namespace roofcast
