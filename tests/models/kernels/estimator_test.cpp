// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/estimator.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>

#include "core/error.h"
#include "hardware/catalog.h"
#include "models/kernels/roofline_gemm.h"

namespace roofcast {
namespace {

Gemm Product(std::int64_t m, DType dtype = DType::kBf16) {
  Gemm op;
  op.m = m;
  op.n = op.k = 4096;
  op.math = op.input = op.weights = op.output = dtype;
  return op;
}

std::string Triangle(std::size_t width, double variance) {
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j <= i; ++j) text += (i == j ? std::to_string(variance) : "0") + " ";
  }
  return text;
}

FittedSeries SeriesOf(const std::string& intercept, const std::string& format = "bf16") {
  FittedSeries series;
  series.family = "gemm";
  series.format = format;
  series.form = "roofline_gemm";
  series.coefficients = {{"intercept", intercept},
                         {"compute_efficiency", "0.8"},
                         {"memory_efficiency", "0.9"},
                         {"overlap", "3"}};
  series.covariance = Triangle(4, 1e-4);
  series.spread = {{"all", 100, 0.9, 1.2}, {"m <= 16", 50, 0.95, 1.05}};
  series.range = {{"m", {1, 1000}}, {"n", {64, 8192}}, {"k", {64, 8192}}};
  series.rows = 100;
  series.cross_validated = {8, 6, 15};
  return series;
}

std::shared_ptr<Fit> FitOf(const std::string& name, std::vector<FittedSeries> series) {
  auto fit = std::make_shared<Fit>(LoadFit());
  fit->name = name;
  fit->series = std::move(series);
  return fit;
}

Estimator EstimatorWith(std::vector<FitChoice> fits, EstimatorOptions options = {}) {
  static const Device device = LoadDevice("h100-sxm");
  return {device, std::move(fits), std::move(options)};
}

double TimeOf(const Gemm& op, double intercept) {
  const auto features = RooflineGemm::Prepare(op, LoadDevice("h100-sxm"), {});
  return RooflineGemm::TimeOf<double>(features, {intercept, 0.8, 0.9, 3}).time * 1e-6;
}

}  // namespace

TEST_CASE("The device's own fit goes before a sibling's, that before pooled ones") {
  const auto own = FitOf("own", {SeriesOf("2 us")});
  const auto sibling = FitOf("sibling", {SeriesOf("3 us"), SeriesOf("4 us", "fp8")});
  const auto pooled = FitOf("pooled", {SeriesOf("5 us"), SeriesOf("6 us", "int8")});
  Estimator estimator = EstimatorWith(
      {{own, Transfer::kOwn}, {sibling, Transfer::kSibling}, {pooled, Transfer::kGeneration}});
  const Estimate& bf16 = estimator.Of(Product(8));
  CHECK(bf16.fit->name == "own");
  CHECK(bf16.transfer == Transfer::kOwn);
  CHECK(bf16.cost.time.value() == doctest::Approx(TimeOf(Product(8), 2)));
  CHECK(bf16.expected_error == 8);
  CHECK(bf16.mode == EstimateMode::kAnalytical);
  CHECK(estimator.Of(Product(8, DType::kFp8)).transfer == Transfer::kSibling);
  // A format that nobody fitted costs what the plain coefficients say.
  const Estimate& plain = estimator.Of(Product(8, DType::kFp32));
  CHECK(plain.series == nullptr);
  CHECK(
      plain.cost.time ==
      CostOf<double>(Product(8, DType::kFp32), LoadDevice("h100-sxm"), pooled->coefficients).time);
  CHECK(plain.low == 0.5);
  CHECK(plain.high == 2);
  CHECK(estimator.used().size() == 3);
}

TEST_CASE("fp16 takes the series of bf16, whose kernels cost the same") {
  Estimator estimator = EstimatorWith({{FitOf("own", {SeriesOf("2 us")}), Transfer::kOwn}});
  const Estimate& estimate = estimator.Of(Product(8, DType::kFp16));
  REQUIRE(estimate.series != nullptr);
  CHECK(estimate.series->format == "bf16");
}

TEST_CASE("The engine's own kernels are preferred, and its factors apply") {
  FittedSeries vllm = SeriesOf("2 us");
  vllm.framework = "vllm";
  FittedSeries sglang = SeriesOf("3 us");
  sglang.framework = "sglang";
  const auto apart = FitOf("own", {vllm, sglang});
  EstimatorOptions options;
  options.framework = "sglang";
  Estimator chosen = EstimatorWith({{apart, Transfer::kOwn}}, options);
  CHECK(chosen.Of(Product(8)).series->framework == "sglang");
  Estimator usual = EstimatorWith({{apart, Transfer::kOwn}});
  CHECK(usual.Of(Product(8)).series->framework == "vllm");

  FittedSeries pooled = SeriesOf("2 us");
  pooled.factors = {{"vllm", {}}, {"sglang", {{"intercept", 1.5}}}};
  Estimator with_factor = EstimatorWith({{FitOf("own", {pooled}), Transfer::kOwn}}, options);
  CHECK(with_factor.Of(Product(8)).cost.time.value() == doctest::Approx(TimeOf(Product(8), 3)));
}

TEST_CASE("An interval is the regime's spread, and half a deviation of the coefficients") {
  Estimator estimator = EstimatorWith({{FitOf("own", {SeriesOf("2 us")}), Transfer::kOwn}});
  const Estimate& small = estimator.Of(Product(8));
  CHECK(small.low < 0.95);
  CHECK(small.low > 0.94);
  CHECK(small.high > 1.05);
  CHECK(small.high < 1.06);
  const Estimate& large = estimator.Of(Product(900));  // of no regime that was fitted: the whole
  CHECK(large.low == doctest::Approx(0.9).epsilon(0.01));
  CHECK(large.high == doctest::Approx(1.2).epsilon(0.01));
  CHECK(estimator.beyond().empty());
}

TEST_CASE("Beyond the fitted sizes the interval is twice as wide, and said to be") {
  Estimator estimator = EstimatorWith({{FitOf("own", {SeriesOf("2 us")}), Transfer::kOwn}});
  const double within = std::log(estimator.Of(Product(1000)).high);
  const double beyond = std::log(estimator.Of(Product(1025)).high);
  CHECK(beyond == doctest::Approx(2 * within).epsilon(0.02));
  REQUIRE(estimator.beyond().size() == 1);
  CHECK(*estimator.beyond().begin() == "gemm bf16: m 1025 is outside 1..1000");
}

TEST_CASE("A sibling's fit is widened by what leaving devices out showed") {
  auto fit = FitOf("sibling", {SeriesOf("2 us")});
  Estimator unknown = EstimatorWith({{fit, Transfer::kSibling}});
  CHECK(unknown.Of(Product(900)).high > 2);
  fit->transfer["gemm"].sibling = 0.05;
  Estimator known = EstimatorWith({{fit, Transfer::kSibling}});
  Estimator own = EstimatorWith({{fit, Transfer::kOwn}});
  const double narrow = std::log(own.Of(Product(900)).high);
  CHECK(std::log(known.Of(Product(900)).high) == doctest::Approx(std::hypot(narrow, 1.645 * 0.05)));
}

TEST_CASE("The mode is the one with the lower error, unless one is asked for") {
  FittedSeries series = SeriesOf("2 us");
  FittedResidual residual;
  residual.length = 4;
  residual.points = "8 4096 4096 0.1";
  residual.cross_validated = {5, 4, 10};
  series.residual = residual;
  const auto fit = FitOf("own", {series});
  Estimator free = EstimatorWith({{fit, Transfer::kOwn}});
  const Estimate& hybrid = free.Of(Product(8));
  CHECK(hybrid.mode == EstimateMode::kHybrid);
  CHECK(hybrid.expected_error == 5);
  CHECK(hybrid.cost.time.value() == doctest::Approx(TimeOf(Product(8), 2) * std::exp(0.1)));
  EstimatorOptions analytical;
  analytical.mode = EstimateMode::kAnalytical;
  Estimator plain = EstimatorWith({{fit, Transfer::kOwn}}, analytical);
  CHECK(plain.Of(Product(8)).mode == EstimateMode::kAnalytical);
  CHECK(plain.Of(Product(8)).cost.time.value() == doctest::Approx(TimeOf(Product(8), 2)));
}

TEST_CASE("What was asked before is remembered, what differs is not confused with it") {
  Estimator estimator = EstimatorWith({{FitOf("own", {SeriesOf("2 us")}), Transfer::kOwn}});
  const Estimate* first = &estimator.Of(Product(8));
  Gemm wide = Product(8);
  wide.output = DType::kFp32;  // the same sizes
  CHECK(estimator.Of(wide).cost.time > first->cost.time);
  CHECK(&estimator.Of(Product(8)) == first);
}

TEST_CASE("A series that the form can't take is refused with the coefficient's name") {
  const auto refuse = [](const FittedSeries& series, const std::string& message) {
    CHECK_THROWS_WITH_AS(
        BoundSeries::Bind(series, "", false), doctest::Contains(message.c_str()), ArgumentError);
  };
  FittedSeries series = SeriesOf("2 us");
  series.coefficients.erase("overlap");
  refuse(series, "series gemm bf16: no coefficient 'overlap'");
  refuse(SeriesOf("2 ms"), "coefficient 'intercept' is '2 ms'; write a number from 0.1 to 1000 us");
  refuse(SeriesOf("-2 us"), "coefficient 'intercept' is '-2 us'");
  series = SeriesOf("2 us");
  series.form = "tilde_gemm";
  refuse(series, "no form 'tilde_gemm'");
  series = SeriesOf("2 us");
  series.covariance = "1 2";
  refuse(series, "covariance needs a lower triangle of at least 10 numbers");
  series = SeriesOf("2 us");
  series.choices["tile"] = 3;
  refuse(series, "a choice that the form doesn't have");
}

}  // namespace roofcast
