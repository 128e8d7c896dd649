// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/node.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"
#include "models/fit_choice.h"
#include "models/kernels/bound_series.h"
#include "models/kernels/op_list.h"

namespace roofcast {

// What stands for the interval of assumed coefficients: a factor of two to either side. A choice,
// not a measurement.
inline constexpr double kAssumedFactor = 2;

// Frameworks whose kernels were measured, the most used first.
inline constexpr std::array<std::string_view, 3> kFrameworks = {"vllm", "trtllm", "sglang"};
// `name` when it is one of them; else throws ArgumentError, `argument` being what it came by.
std::string KnownFramework(std::string_view name, std::string_view argument);

struct EstimatorOptions {
  std::string framework;             // whose kernels; "" leaves the choice to the estimator
  std::optional<EstimateMode> mode;  // nullopt: the one with the lower cross-validated error
};

// How long one operator takes, and how sure that is.
struct Estimate {
  Cost<double> cost;
  EstimateMode mode = EstimateMode::kAnalytical;
  Transfer transfer = Transfer::kOwn;
  std::string_view family;               // of the fit; of the assumed coefficients without one
  const FittedSeries* series = nullptr;  // nullptr: a roofline with the fit's plain coefficients
  const Fit* fit = nullptr;              // where series or coefficients come from
  double low = 1;  // 90 % of measurements lie between these multiples of the time
  double high = 1;
  double expected_error = 0;  // cross-validated MAPE, %; 0 where there is none
};

// Costs operators on one device: by the fitted series of their family and number format where the
// device, a sibling or its generation has one, else by a roofline with the fit's coefficients.
// Remembers what it was asked; not safe to share between threads.
class Estimator {
 public:
  // `device` must outlive the estimator. The plain coefficients of the last of `fits` are the
  // fallback. Range: at least one.
  Estimator(const Device& device, std::vector<FitChoice> fits, EstimatorOptions options);

  const Estimate& Of(const Op& op);
  const Coefficients<double>& coefficients() const { return fits_.back().fit->coefficients; }
  const std::vector<FitChoice>& fits() const { return fits_; }
  // What it has used so far: each series once, and the families that had none.
  const std::vector<const Estimate*>& used() const { return used_; }
  // Sizes it was asked for outside the fitted ones, in words.
  const std::set<std::string>& beyond() const { return beyond_; }

 private:
  struct Memo {
    Op op;
    Estimate estimate;
  };

  struct Found {
    const BoundSeries* series = nullptr;
    FitChoice choice;
  };

  Estimate Compute(const Op& op);
  const Found& FindSeries(const Op& op, const OpLabel& label);
  const FittedSeries* Pick(const Fit& fit,
                           std::string_view family,
                           const std::vector<std::string>& formats) const;
  void Widen(const Found& found, const SeriesEstimate& from, Estimate& out) const;

  const Device& device_;
  std::vector<FitChoice> fits_;
  EstimatorOptions options_;
  std::vector<std::unique_ptr<BoundSeries>> bound_;
  std::unordered_map<std::string, Found> found_;     // by label
  std::unordered_multimap<std::size_t, Memo> memo_;  // by hash
  std::vector<const Estimate*> used_;
  std::set<std::string> beyond_;
};

}  // namespace roofcast
