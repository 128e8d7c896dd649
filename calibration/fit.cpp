// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit.h"

#include <ceres/ceres.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>

#include "calibration/residual.h"
#include "calibration/standard_errors.h"
#include "core/error.h"

namespace roofcast {
namespace {

using Free = std::array<bool, kParameters>;
constexpr std::size_t kIntercept = 0;

// Ceres reports through glog, to stderr, also when its own logging is silent.
void SilenceCeres() {
  static const bool silent = [] {
    FLAGS_minloglevel = google::GLOG_FATAL;
    return true;
  }();
  static_cast<void>(silent);
}

[[noreturn]] void RefuseData(Family family) {
  throw ArgumentError(std::string(NameOf(family)) +
                      ": no coefficients can be fitted to these times; check latency_us and its "
                      "unit, and the sizes");
}

struct Minimum {
  ParameterValues x{};
  double cost = std::numeric_limits<double>::infinity();
};

// Bounds of the solver's x. The inverse ones turn round.
ParameterBounds BoundsOf(const ParameterScale& scale) {
  const ParameterValues one = scale.PointOf(FromValues(kBounds.low));
  const ParameterValues other = scale.PointOf(FromValues(kBounds.high));
  ParameterBounds bounds;
  for (std::size_t i = 0; i < kParameters; ++i) {
    bounds.low[i] = std::min(one[i], other[i]);
    bounds.high[i] = std::max(one[i], other[i]);
  }
  return bounds;
}

class Minimiser {
 public:
  Minimiser(const std::vector<const Sample*>& samples,
            const Device& device,
            const ParameterScale& scale,
            const Free& free)
      : bounds_(BoundsOf(scale)) {
    std::vector<double*> blocks;
    for (double& value : x_) blocks.push_back(&value);
    for (const Sample* sample : samples) {
      auto cost = std::make_unique<ceres::DynamicAutoDiffCostFunction<LogResidual, kDualWidth>>(
          new LogResidual(*sample, device, scale));
      for (std::size_t i = 0; i < kParameters; ++i) cost->AddParameterBlock(1);
      cost->SetNumResiduals(1);
      problem_.AddResidualBlock(cost.release(), &loss_, blocks);
    }
    for (std::size_t i = 0; i < kParameters; ++i) {
      if (!free[i]) {
        problem_.SetParameterBlockConstant(blocks[i]);
        continue;
      }
      problem_.SetParameterLowerBound(blocks[i], 0, bounds_.low[i]);
      problem_.SetParameterUpperBound(blocks[i], 0, bounds_.high[i]);
    }
  }

  Minimum SolveFrom(const ParameterValues& start) {
    for (std::size_t i = 0; i < kParameters; ++i) {
      x_[i] = std::clamp(start[i], bounds_.low[i], bounds_.high[i]);
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_QR;
    options.max_num_iterations = 200;
    options.function_tolerance = 1e-10;
    options.parameter_tolerance = 1e-10;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem_, &summary);
    return {x_, summary.IsSolutionUsable() ? summary.final_cost : Minimum{}.cost};
  }

 private:
  static ceres::Problem::Options Shared() {
    ceres::Problem::Options options;
    options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    return options;
  }

  ParameterBounds bounds_;
  ParameterValues x_{};
  ceres::SoftLOneLoss loss_{kRobustWidth};
  ceres::Problem problem_{Shared()};
};

// The assumed values, and efficiencies and overlaps around them; the intercept starts at what the
// fastest row leaves room for.
std::vector<KernelCoefficients<double>> Starts(const std::vector<const Sample*>& samples,
                                               const KernelCoefficients<double>& assumed) {
  Seconds fastest = samples.front()->time;
  for (const Sample* sample : samples) fastest = std::min(fastest, sample->time);
  std::vector<KernelCoefficients<double>> starts = {assumed};
  for (const double overlap : {1.5, 6.0}) {
    starts.push_back({0.8 * fastest, 0.7, 0.7, overlap});
    starts.push_back({0.8 * fastest, 0.2, 0.7, overlap});
    starts.push_back({0.8 * fastest, 0.7, 0.2, overlap});
  }
  return starts;
}

ParameterValues Minimise(const std::vector<const Sample*>& samples,
                         const Device& device,
                         const ParameterScale& scale,
                         const Free& free) {
  Minimiser minimiser(samples, device, scale, free);
  Minimum best;
  for (const KernelCoefficients<double>& start : Starts(samples, scale.assumed)) {
    ParameterValues x = scale.PointOf(start);
    for (std::size_t i = 0; i < kParameters; ++i) {
      if (!free[i]) x[i] = 1;
    }
    const Minimum found = minimiser.SolveFrom(x);
    if (found.cost < best.cost) best = found;
  }
  if (!std::isfinite(best.cost)) RefuseData(samples.front()->family);
  return best.x;
}

// The free parameter whose error is largest against what is allowed; kParameters if all are well.
std::size_t LeastIdentified(const ParameterValues& x,
                            const ParameterValues& errors,
                            const Free& free) {
  std::size_t worst = kParameters;
  double excess = 1;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double ratio = errors[i] / (kLargestError * std::max(x[i], 1.0));
    if (free[i] && ratio > excess) {
      worst = i;
      excess = ratio;
    }
  }
  return worst;
}

bool IsAtBound(double x, double low, double high) {
  constexpr double kClose = 1e-5;
  return x < low * (1 + kClose) || x > high * (1 - kClose);
}

// Six digits say more than any fit knows, and make files that can be read.
double Rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::strtod(text.data(), nullptr);
}

double SpreadOf(const std::vector<const Sample*>& samples,
                const Device& device,
                const ParameterScale& scale,
                const ParameterValues& x) {
  std::vector<double> sizes;
  sizes.reserve(samples.size());
  for (const Sample* sample : samples) {
    sizes.push_back(std::abs(LogResidual(*sample, device, scale).At(x)));
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  constexpr double kNormal = 1.4826;  // makes it the standard deviation of a normal distribution
  return kNormal * *middle;
}

}  // namespace

FamilyFit FitFamily(Family family,
                    const std::vector<const Sample*>& samples,
                    const Device& device,
                    const KernelCoefficients<double>& assumed) {
  ROOFCAST_CHECK(!samples.empty());
  SilenceCeres();
  const ParameterScale scale{assumed};
  const ParameterBounds bounds = BoundsOf(scale);
  ParameterValues x{1, 1, 1, 1};
  Free free{};
  free.fill(samples.size() > kParameters);
  while (std::find(free.begin(), free.end(), true) != free.end()) {
    x = Minimise(samples, device, scale, free);
    const auto errors = StandardErrors(samples, device, scale, x, free);
    const std::size_t worst = LeastIdentified(x, errors, free);
    if (worst == kParameters) break;
    free[worst] = false;
    x = {1, 1, 1, 1};
  }

  FamilyFit fit;
  fit.family = family;
  Free inside = free;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const bool at_bound = free[i] && IsAtBound(x[i], bounds.low[i], bounds.high[i]);
    if (at_bound) inside[i] = false;
    fit.status[i] = !free[i]   ? CoefficientStatus::kAssumed
                    : at_bound ? CoefficientStatus::kAtBound
                               : CoefficientStatus::kFitted;
  }
  ParameterValues values = ValuesOf(scale.CoefficientsAt(x));
  const auto errors = StandardErrors(samples, device, scale, x, inside);
  for (std::size_t i = 0; i < kParameters; ++i) {
    values[i] = free[i] ? Rounded(values[i]) : ValuesOf(assumed)[i];
    // First order, for x and for 1/x alike.
    if (inside[i]) fit.standard_errors[i] = values[i] * errors[i] / x[i];
  }
  fit.coefficients = FromValues(values);
  fit.residual_spread = SpreadOf(samples, device, scale, x);
  const bool is_finite =
      std::isfinite(fit.residual_spread) &&
      std::all_of(
          values.begin(), values.end(), [](double value) { return std::isfinite(value); }) &&
      std::all_of(errors.begin(), errors.end(), [](double error) { return std::isfinite(error); });
  if (!is_finite || !(values[kIntercept] > 0)) RefuseData(family);
  return fit;
}

}  // namespace roofcast
