// SPDX-License-Identifier: Apache-2.0
#include "calibration/roofline_rows.h"

#include <ceres/jet.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scalar.h"

namespace roofcast {
namespace {

constexpr std::size_t kWidth = 4;
constexpr double kMega = 1e6;

template <class T>
T TimeOf(double compute, double memory, const std::array<T, kWidth>& c) {
  return c[0] + SmoothMax(compute / c[1], memory / c[2], c[3]);
}

// Every family's efficiencies 1, so that the terms are those of the datasheet.
Coefficients<double> IdealCoefficients() {
  Coefficients<double> ideal;
  auto set = [&](std::string_view, auto member, auto&&...) {
    using Family = std::remove_cvref_t<decltype(ideal.*member)>;
    if constexpr (std::is_same_v<Family, KernelCoefficients<double>>) {
      ideal.*member = {Seconds(0), 1, 1, 1};
    }
  };
  Coefficients<double>::Fields(set);
  return ideal;
}

}  // namespace

DatasheetTerms DatasheetTermsOf(const Op& op, const Device& device) {
  static const Coefficients<double> ideal = IdealCoefficients();
  const Cost<double> cost = CostOf<double>(op, device, ideal);
  return {cost.compute.value() * kMega, cost.memory.value() * kMega};
}

RooflineRows::RooflineRows(const std::vector<const MeasuredRow*>& rows) {
  terms_.reserve(rows.size());
  for (const MeasuredRow* row : rows) terms_.push_back(DatasheetTermsOf(row->op, *row->device));
}

const std::vector<CoefficientInfo>& RooflineRows::Infos() const {
  static const std::vector<CoefficientInfo> infos = {
      {"intercept", "us", {0.1, 4, 1000}},
      {"compute_efficiency", "", {0.01, 0.6, 1}},
      {"memory_efficiency", "", {0.01, 0.7, 1}},
      {"overlap_exponent", "", {1, 2.5, 20}},
  };
  return infos;
}

double RooflineRows::LogTime(std::size_t row,
                             const double* log_coefficients,
                             double* gradient) const {
  using Jet = ceres::Jet<double, static_cast<int>(kWidth)>;
  std::array<Jet, kWidth> at;
  for (std::size_t i = 0; i < kWidth; ++i) {
    at[i] = Jet(std::exp(log_coefficients[i]));
    at[i].v[static_cast<Eigen::Index>(i)] = at[i].a;  // by the logarithm
  }
  const DatasheetTerms& terms = terms_[row];
  const Jet time = TimeOf<Jet>(terms.compute, terms.memory, at);
  for (std::size_t i = 0; gradient != nullptr && i < kWidth; ++i) {
    gradient[i] = time.v[static_cast<Eigen::Index>(i)] / time.a;
  }
  return std::log(time.a);
}

double RooflineRows::DatasheetTime(std::size_t row) const {
  return std::max(terms_[row].compute, terms_[row].memory);
}

}  // namespace roofcast
