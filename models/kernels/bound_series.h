// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/device.h"
#include "models/fitted_series.h"
#include "models/kernels/form.h"
#include "models/kernels/op_list.h"
#include "models/kernels/residual_field.h"

namespace roofcast {

// What a series says of one operator.
struct SeriesEstimate {
  FormCost<double> cost;  // microseconds; `time` has the correction in it
  double deviation = 0;   // standard deviation of its logarithm from the coefficients' alone
  std::string_view regime;
  std::string beyond;  // "k 53248 is outside 64..51200": a size outside the fitted ones
};

// A fitted series with its text turned into numbers, ready to predict for one framework.
class BoundSeries {
 public:
  virtual ~BoundSeries() = default;

  // `framework`: whose factors apply; one that the series doesn't know changes nothing.
  // `corrected`: with the smooth correction, where the series has one. Throws ArgumentError for a
  // form, choice or coefficient that doesn't exist, is missing or lies outside its bounds.
  static std::unique_ptr<BoundSeries> Bind(const FittedSeries& series,
                                           std::string_view framework,
                                           bool corrected);

  // Whether its form costs such operators, by their kind alone.
  virtual bool Takes(const Op& op) const = 0;
  // The time alone, as fast as can be. Range: Takes(op).
  virtual double TimeOf(const Op& op, const Device& device) const = 0;
  virtual SeriesEstimate EstimateOf(const Op& op, const Device& device) const = 0;

  const FittedSeries& series() const { return series_; }
  bool is_corrected() const { return field_.has_value(); }

 protected:
  explicit BoundSeries(const FittedSeries& series) : series_(series) {}

  const FittedSeries& series_;
  std::optional<ResidualField> field_;
};

// Family and format of an operator, the words by which fits know it; nothing when no form costs it.
struct OpLabel {
  std::string_view family;
  std::string format;
};
std::optional<OpLabel> LabelOf(const Op& op);

}  // namespace roofcast
