// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit.h"

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "calibration/residual.h"
#include "calibration/standard_errors.h"
#include "tests/calibration/synthetic.h"

namespace roofcast {
namespace {

using testing::kTruth;
using testing::PointersTo;
using testing::SyntheticGemms;

KernelCoefficients<double> Assumed() {
  return LoadFit().coefficients.gemm;
}

FamilyFit FitGemms(const Dataset& dataset, const Device& device) {
  return FitFamily(Family::kGemm, PointersTo(dataset), device, Assumed());
}

}  // namespace

TEST_CASE("Family names are the fields of Coefficients, parameters those of a kernel") {
  const auto fields = FieldNames<Coefficients<double>>();
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    CHECK(std::find(fields.begin(), fields.end(), name) != fields.end());
  }
  const auto figures = FieldNames<KernelCoefficients<double>>();
  REQUIRE(figures.size() == kParameters);
  for (std::size_t i = 0; i < kParameters; ++i) CHECK(figures[i] == kParameterNames[i]);
}

TEST_CASE("Exact rows give back the coefficients that made them") {
  const Device device = LoadDevice("h100-sxm");
  const FamilyFit fit = FitGemms(SyntheticGemms(device, kTruth), device);
  const ParameterValues found = ValuesOf(fit.coefficients);
  const ParameterValues truth = ValuesOf(kTruth);
  for (std::size_t i = 0; i < kParameters; ++i) {
    CAPTURE(kParameterNames[i]);
    CHECK(found[i] == doctest::Approx(truth[i]).epsilon(1e-4));
    CHECK(fit.status[i] == CoefficientStatus::kFitted);
  }
  CHECK(fit.residual_spread < 1e-4);
}

TEST_CASE("Noise and outliers move coefficients by no more than their standard errors say") {
  const Device device = LoadDevice("h100-sxm");
  const ParameterValues truth = ValuesOf(kTruth);
  double squares = 0;
  int count = 0;
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const FamilyFit fit = FitGemms(SyntheticGemms(device, kTruth, 0.05, 3, seed), device);
    const ParameterValues found = ValuesOf(fit.coefficients);
    for (std::size_t i = 0; i < kParameters; ++i) {
      CAPTURE(seed);
      CAPTURE(kParameterNames[i]);
      REQUIRE(fit.standard_errors[i].has_value());
      const double score = (found[i] - truth[i]) / *fit.standard_errors[i];
      CHECK(std::abs(score) < 3.5);
      squares += score * score;
      ++count;
    }
    CHECK(fit.residual_spread == doctest::Approx(0.05).epsilon(0.3));
  }
  // Neither too small nor too large to mean something: the mean square of the scores is near 1.
  CHECK(squares / count > 0.3);
  CHECK(squares / count < 3);
}

TEST_CASE("A coefficient that the data does not identify stays assumed and is marked") {
  const Device device = LoadDevice("h100-sxm");
  Dataset dataset = SyntheticGemms(device, kTruth, 0.03);
  auto& samples = dataset.samples;
  // m <= 4: memory traffic and launch alone.
  const auto many = [](const Sample& sample) { return std::get<Gemm>(sample.op).m > 4; };
  samples.erase(std::remove_if(samples.begin(), samples.end(), many), samples.end());
  const FamilyFit fit = FitGemms(dataset, device);
  CHECK(fit.status[1] == CoefficientStatus::kAssumed);
  CHECK(fit.coefficients.compute_efficiency == Assumed().compute_efficiency);
  CHECK_FALSE(fit.standard_errors[1].has_value());
  CHECK(fit.status[2] == CoefficientStatus::kFitted);
  CHECK(fit.coefficients.memory_efficiency == doctest::Approx(0.86).epsilon(0.05));
}

TEST_CASE("An efficiency above one is held at one and marked") {
  const Device device = LoadDevice("h100-sxm");
  KernelCoefficients<double> cached = kTruth;
  cached.memory_efficiency = 1.4;
  const FamilyFit fit = FitGemms(SyntheticGemms(device, cached, 0.02), device);
  CHECK(fit.coefficients.memory_efficiency == 1);
  CHECK(fit.status[2] == CoefficientStatus::kAtBound);
  CHECK_FALSE(fit.standard_errors[2].has_value());
}

TEST_CASE("Rows no more than parameters leave everything assumed") {
  const Device device = LoadDevice("h100-sxm");
  Dataset dataset = SyntheticGemms(device, kTruth);
  dataset.samples.resize(4);
  const FamilyFit fit = FitGemms(dataset, device);
  CHECK(ValuesOf(fit.coefficients) == ValuesOf(Assumed()));
}

TEST_CASE("The residual of a Jet is that of a double, its derivative the central difference") {
  const Device device = LoadDevice("h100-sxm");
  const ParameterScale scale{Assumed()};
  const Dataset dataset = SyntheticGemms(device, kTruth, 0.05);
  const ParameterValues x = scale.PointOf(kTruth);
  std::array<Dual, kParameters> point;
  for (std::size_t i = 0; i < kParameters; ++i) point[i] = Dual(x[i], static_cast<int>(i));
  for (const Sample& sample : dataset.samples) {
    const LogResidual residual(sample, device, scale);
    const Dual dual = residual.At(point);
    CHECK(dual.a == residual.At(x));
    for (std::size_t i = 0; i < kParameters; ++i) {
      constexpr double kStep = 1e-6;
      ParameterValues above = x;
      ParameterValues below = x;
      above[i] += kStep;
      below[i] -= kStep;
      const double slope = (residual.At(above) - residual.At(below)) / (2 * kStep);
      CHECK(dual.v[static_cast<int>(i)] == doctest::Approx(slope).epsilon(1e-4).scale(1e-3));
    }
  }
}

}  // namespace roofcast
