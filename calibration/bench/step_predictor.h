// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/measured_row.h"
#include "calibration/series_fit.h"
#include "core/dtype.h"
#include "hardware/device.h"
#include "models/llm/architecture.h"
#include "models/parallelism/lower.h"

namespace roofcast::bench {

// Fits every series of some measured rows and adds up what the fits say of a pass's operators, as
// the layer table lowers them.
class StepPredictor {
 public:
  StepPredictor(const std::vector<MeasuredRow>& rows, const Device& device);

  // All of it on one device, in one number format.
  Seconds Predict(const Llm& llm, DType dtype, const Pass& pass) const;
  // Cross-validated mean error of each series in percent, by its family and format.
  const std::map<std::string, double>& errors() const { return errors_; }

 private:
  struct Fitted {
    std::string form;
    KernelChoice kernel;
    std::vector<double> coefficients;  // logarithms
  };
  Seconds TimeOf(const Op& op) const;

  Device device_;
  std::map<std::pair<std::string, std::string>, Fitted> fits_;  // by family and format
  std::map<std::string, double> errors_;
};

}  // namespace roofcast::bench
