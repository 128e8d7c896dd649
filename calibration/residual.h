// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "calibration/dataset.h"
#include "calibration/family.h"
#include "hardware/device.h"
#include "models/kernels/op_list.h"

namespace roofcast {

// r(x) = log(predicted) - log(measured), through the CostOf that predictions run: 0.1 is 10 % too
// slow whatever the size, so that microseconds and seconds weigh alike. For T = double and Dual;
// `parameters` are kParameters blocks of one number, see ParameterScale.
class LogResidual {
 public:
  // All three must outlive the residual.
  LogResidual(const Sample& sample, const Device& device, const ParameterScale& scale)
      : sample_(&sample), device_(&device), scale_(&scale) {}

  template <class T>
  bool operator()(T const* const* parameters, T* residual) const {
    residual[0] = At<T>({parameters[0][0], parameters[1][0], parameters[2][0], parameters[3][0]});
    return true;
  }

  template <class T>
  T At(const std::array<T, kParameters>& x) const {
    using std::log;
    Coefficients<T> coefficients;  // the other families are not looked at
    MemberOf(coefficients, sample_->family) = scale_->CoefficientsAt(x);
    const Cost<T> cost = CostOf<T>(sample_->op, *device_, coefficients);
    return log(cost.time.value()) - std::log(sample_->time.value());
  }

 private:
  const Sample* sample_;
  const Device* device_;
  const ParameterScale* scale_;
};

}  // namespace roofcast
