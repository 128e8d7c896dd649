// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/dataset.h"
#include "calibration/family.h"
#include "core/fields.h"
#include "hardware/device.h"
#include "models/coefficients.h"

namespace roofcast {

enum class CoefficientStatus : std::uint8_t {
  kFitted,
  kAtBound,  // fitted, and the data would have it beyond its bound; it has no standard error
  kAssumed,  // the data does not identify it: held at the assumed value
};
template <>
struct EnumNames<CoefficientStatus> {
  static constexpr std::array<std::pair<CoefficientStatus, std::string_view>, 3> kNames = {{
      {CoefficientStatus::kFitted, "fitted"},
      {CoefficientStatus::kAtBound, "at_bound"},
      {CoefficientStatus::kAssumed, "assumed"},
  }};
};

// What a fit may choose from. The intercept is above zero: without one the efficiencies collapse.
struct ParameterBounds {
  ParameterValues low = {1e-9, 0.01, 0.01, 1};
  ParameterValues high = {1, 1, 1, 20};
};
inline constexpr ParameterBounds kBounds;

// A third: an estimate is three standard errors away from having no influence, or known to have
// less than the assumed one.
inline constexpr double kLargestError = 1.0 / 3;

struct FamilyFit {
  Family family = Family::kGemm;
  KernelCoefficients<double> coefficients;
  // In the order of kParameterNames.
  std::array<std::optional<double>, kParameters> standard_errors;
  std::array<CoefficientStatus, kParameters> status{};
  // Spread of the log residuals, 1.4826 times their median size: 0.07 is 7 %.
  double residual_spread = 0;
};

// Least robust cost of the log residuals of one family's rows, from several starts, within kBounds.
// A coefficient is not identified when the standard error of x (see ParameterScale) exceeds
// kLargestError of the larger of x and 1, its assumed value; the least certain is then held there
// and the others fitted again, until all that are left are identified.
// Range: all samples of `family`; with no more rows than parameters everything stays assumed.
FamilyFit FitFamily(Family family,
                    const std::vector<const Sample*>& samples,
                    const Device& device,
                    const KernelCoefficients<double>& assumed);

}  // namespace roofcast
