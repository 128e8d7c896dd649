// SPDX-License-Identifier: Apache-2.0
// Made-up measurements with known coefficients: no data file is needed to test the fits.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "calibration/calibrate.h"
#include "calibration/dataset.h"
#include "hardware/catalog.h"
#include "models/kernels/op_list.h"

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

inline Sample GemmSample(std::int64_t m, std::int64_t n, std::int64_t k, Seconds time) {
  Sample sample;
  Gemm op;
  op.m = m;
  op.n = n;
  op.k = k;
  sample.op = op;
  sample.time = time;
  sample.key = std::to_string(n) + "," + std::to_string(k);
  sample.row = std::to_string(m) + "," + sample.key + "," + std::to_string(time.value()) + "\n";
  sample.file = "synthetic.csv";
  return sample;
}

inline const KernelCoefficients<double> kTruth = {Seconds(2.5e-6), 0.78, 0.86, 3};

// GEMMs on `device` as `truth` has them, with `noise` (0.05: 5 %) and every 20th row `outlier`
// times slower.
inline Dataset SyntheticGemms(const Device& device,
                              const KernelCoefficients<double>& truth,
                              double noise = 0,
                              double outlier = 1,
                              std::uint32_t seed = 1) {
  Noise random(seed);
  Coefficients<double> coefficients;
  coefficients.gemm = truth;
  Dataset dataset;
  int row = 0;
  for (const std::int64_t n : {512, 1024, 4096, 8192, 14336}) {
    for (const std::int64_t k : {256, 1024, 4096, 8192}) {
      for (std::int64_t m = 1; m <= 16384; m *= 4) {
        Sample sample = GemmSample(m, n, k, Seconds(0));
        const Seconds exact = CostOf<double>(sample.op, device, coefficients).time;
        const double factor = std::exp(noise * random.Normal()) * (++row % 20 == 0 ? outlier : 1);
        dataset.samples.push_back(GemmSample(m, n, k, exact * factor));
      }
    }
  }
  return dataset;
}

inline std::vector<const Sample*> PointersTo(const Dataset& dataset) {
  std::vector<const Sample*> pointers;
  for (const Sample& sample : dataset.samples) pointers.push_back(&sample);
  return pointers;
}

}  // namespace roofcast::testing
