// SPDX-License-Identifier: Apache-2.0
// Made-up measurements with known coefficients: no data file is needed to test the fits.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "calibration/family_plan.h"
#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "hardware/catalog.h"
#include "models/kernels/roofline_gemm.h"

namespace roofcast::testing {

// Normal numbers that are the same with every standard library.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : engine_(seed) {}
  double Uniform() { return (static_cast<double>(engine_()) + 0.5) / 4294967296.0; }
  double Normal() {
    return std::sqrt(-2 * std::log(Uniform())) * std::cos(6.283185307179586 * Uniform());
  }

 private:
  std::mt19937 engine_;
};

using Truth = RooflineGemm::Coefficients<double>;
inline constexpr Truth kTruth = {2.5, 0.78, 0.86, 3};

inline double TimeOf(const Gemm& op, const Device& device, const Truth& truth) {
  return RooflineGemm::TimeOf<double>(RooflineGemm::Prepare(op, device, {}), truth).time;
}

struct Making {
  double noise = 0;    // 0.05: 5 %
  double outlier = 1;  // every 20th row is so many times slower
  std::uint32_t seed = 1;
  std::string device = "h100-sxm";
  std::string framework = "vllm";
};

// GEMMs of 20 shapes as `truth` has them.
inline MeasuredRows SyntheticGemms(const Truth& truth, const Making& making = {}) {
  Noise random(making.seed);
  const auto device = std::make_shared<const Device>(LoadDevice(making.device));
  MeasuredRows rows;
  int count = 0;
  for (const std::int64_t n : {512, 1024, 4096, 8192, 14336}) {
    for (const std::int64_t k : {256, 1024, 4096, 8192}) {
      for (std::int64_t m = 1; m <= 16384; m *= 4) {
        MeasuredRow row;
        Gemm op;
        op.m = m;
        op.n = n;
        op.k = k;
        const double factor =
            std::exp(making.noise * random.Normal()) * (++count % 20 == 0 ? making.outlier : 1);
        row.device = device;
        row.op = op;
        row.time = TimeOf(op, *device, truth) * factor;
        row.family = "gemm";
        row.format = "bf16";
        row.framework = making.framework;
        row.key = std::to_string(n) + "," + std::to_string(k);
        row.text = std::to_string(m) + "," + row.key + "," + std::to_string(row.time) + "\n";
        row.file = "synthetic.csv";
        row.line = count + 1;
        rows.rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

// A plan for them whose form is the one that made them.
inline FamilyPlan RooflinePlan() {
  FamilyPlan plan;
  plan.family = "gemm";
  plan.form = "roofline_gemm";
  plan.pools_frameworks = true;
  plan.framework_fields = {"intercept"};
  return plan;
}

inline Series SeriesOf(const MeasuredRows& rows, const FamilyPlan& plan) {
  Series series;
  series.plan = &plan;
  series.format = "bf16";
  for (const MeasuredRow& row : rows.rows) series.rows.push_back(&row);
  return series;
}

}  // namespace roofcast::testing
