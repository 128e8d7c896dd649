// SPDX-License-Identifier: Apache-2.0
#include "calibration/cross_validation.h"

#include <doctest/doctest.h>

#include "tests/calibration/synthetic.h"

namespace roofcast {

TEST_CASE("A held-out row is predicted without any row of its key") {
  const Device device = LoadDevice("h100-sxm");
  const auto assumed = LoadFit().coefficients.gemm;
  Dataset dataset = testing::SyntheticGemms(device, testing::kTruth, 0.05);
  const std::string key = dataset.samples.front().key;
  const auto before = PredictHeldOut(Family::kGemm, testing::PointersTo(dataset), device, assumed);
  // However wrong the rows of the fold are, what is predicted for them stays.
  for (Sample& sample : dataset.samples) {
    if (FoldOf(sample.key) == FoldOf(key)) sample.time *= 1.5;
  }
  const auto after = PredictHeldOut(Family::kGemm, testing::PointersTo(dataset), device, assumed);
  std::size_t same = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool held = FoldOf(dataset.samples[i].key) == FoldOf(key);
    CHECK((before[i] == after[i]) == held);
    if (held) ++same;
  }
  CHECK(same > 0);
}

TEST_CASE("The datasheet roofline is the slower of work and traffic at the peaks") {
  const Device device = LoadDevice("h100-sxm");
  const Sample large = testing::GemmSample(8192, 8192, 8192, Seconds(1));
  const Sample thin = testing::GemmSample(1, 8192, 8192, Seconds(1));
  const auto times = PredictFromDatasheet({&large, &thin}, device);
  CHECK(times[0].value() == doctest::Approx(2.0 * 8192 * 8192 * 8192 / 989.4e12));
  CHECK(times[1].value() == doctest::Approx((8192.0 * 8192 + 2 * 8192) * 2 / 3.35e12));
}

}  // namespace roofcast
