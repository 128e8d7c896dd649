// SPDX-License-Identifier: Apache-2.0
#include "calibration/cross_validation.h"

#include "calibration/fit.h"
#include "core/scalar.h"
#include "models/kernels/op_list.h"

namespace roofcast {

std::vector<Seconds> PredictAll(const std::vector<const Sample*>& samples,
                                const Device& device,
                                const Coefficients<double>& coefficients) {
  std::vector<Seconds> times;
  times.reserve(samples.size());
  for (const Sample* sample : samples) {
    times.push_back(CostOf<double>(sample->op, device, coefficients).time);
  }
  return times;
}

std::vector<Seconds> PredictHeldOut(Family family,
                                    const std::vector<const Sample*>& samples,
                                    const Device& device,
                                    const KernelCoefficients<double>& assumed) {
  std::vector<Seconds> times(samples.size());
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<const Sample*> others;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (FoldOf(samples[i]->key) == fold) {
        held.push_back(i);
      } else {
        others.push_back(samples[i]);
      }
    }
    if (held.empty()) continue;
    Coefficients<double> coefficients;
    MemberOf(coefficients, family) =
        others.empty() ? assumed : FitFamily(family, others, device, assumed).coefficients;
    for (const std::size_t i : held) {
      times[i] = CostOf<double>(samples[i]->op, device, coefficients).time;
    }
  }
  return times;
}

std::vector<Seconds> PredictFromDatasheet(const std::vector<const Sample*>& samples,
                                          const Device& device) {
  std::vector<Seconds> times;
  times.reserve(samples.size());
  for (const Sample* sample : samples) {
    Coefficients<double> ideal;
    MemberOf(ideal, sample->family) = {Seconds(0), 1, 1, 1};
    const Cost<double> cost = CostOf<double>(sample->op, device, ideal);
    times.push_back(Max(cost.compute, cost.memory));
  }
  return times;
}

}  // namespace roofcast
