// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measured_row.h"
#include "hardware/device.h"
#include "models/kernels/form.h"

namespace roofcast {

struct CoefficientInfo {
  std::string_view name;
  std::string_view unit;
  FitRange range;
};

// Choices of a form's Kernel by the names of its fields; those not named keep their default.
using KernelChoice = std::map<std::string, std::int64_t, std::less<>>;

// The rows of a fit as one form sees them, with everything prepared that no coefficient changes.
class FormRows {
 public:
  virtual ~FormRows() = default;

  virtual const std::vector<CoefficientInfo>& Infos() const = 0;
  virtual std::size_t Count() const = 0;
  // log of the predicted microseconds of a row at coefficients given by their logarithms, and,
  // unless null, its derivative by each of them. Safe to call from several threads.
  virtual double LogTime(std::size_t row,
                         const double* log_coefficients,
                         double* gradient) const = 0;
  virtual std::string_view RegimeOf(std::size_t row) const = 0;
  virtual SizeList SizesOf(std::size_t row) const = 0;
};

// The rows, each on its own device, prepared for the form of that name. Throws ArgumentError for an
// unknown form or kernel choice, or rows of another operator.
std::unique_ptr<FormRows> PrepareRows(std::string_view form,
                                      const std::vector<const MeasuredRow*>& rows,
                                      const KernelChoice& kernel);

}  // namespace roofcast
