// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "models/kernels/form.h"

// What must hold for every form, at coefficients off their priors so that no two terms agree.
namespace roofcast::testing {

template <class Form>
std::array<double, kCoefficientCount<Form>> OffPriors() {
  std::array<double, kCoefficientCount<Form>> values;
  std::size_t at = 0;
  auto set = [&](std::string_view, auto, std::string_view, FitRange range, auto&&...) {
    values[at] = std::min(range.high, range.prior * (1 + 0.013 * static_cast<double>(at % 7)));
    ++at;
  };
  Form::template Coefficients<double>::Fields(set);
  return values;
}

template <class Form>
std::vector<std::string> CoefficientNames() {
  std::vector<std::string> names;
  auto add = [&](std::string_view name, auto&&...) { names.emplace_back(name); };
  Form::template Coefficients<double>::Fields(add);
  return names;
}

// The Jet's time is the double's, and its derivatives are central differences.
template <class Form>
void CheckDerivatives(const typename Form::Features& features) {
  using Jet = ceres::Jet<double, static_cast<int>(kCoefficientCount<Form>)>;
  const auto values = OffPriors<Form>();
  const auto names = CoefficientNames<Form>();
  std::array<Jet, kCoefficientCount<Form>> jets;
  for (std::size_t i = 0; i < jets.size(); ++i) jets[i] = Jet(values[i], static_cast<int>(i));
  const Jet time = Form::template TimeOf<Jet>(features, FromArray<Form, Jet>(jets.data())).time;
  const auto at = [&](const auto& v) {
    return Form::template TimeOf<double>(features, FromArray<Form, double>(v.data())).time;
  };
  CHECK(time.a == doctest::Approx(at(values)).epsilon(1e-12));
  for (std::size_t i = 0; i < jets.size(); ++i) {
    CAPTURE(names[i]);
    const double step = 1e-5 * values[i];
    auto above = values;
    auto below = values;
    above[i] += step;
    below[i] -= step;
    const double difference = (at(above) - at(below)) / (2 * step);
    const double noise = 1e-14 * time.a / step;
    CHECK(std::abs(time.v[static_cast<Eigen::Index>(i)] - difference) <=
          1e-6 * std::abs(difference) + noise);
  }
}

template <class Form>
double TimeAtPriors(const typename Form::Shape& op,
                    const Device& device,
                    const typename Form::Kernel& kernel = {}) {
  std::array<double, kCoefficientCount<Form>> values;
  std::size_t at = 0;
  auto set = [&](std::string_view, auto, std::string_view, FitRange range, auto&&...) {
    values[at++] = range.prior;
  };
  Form::template Coefficients<double>::Fields(set);
  const auto features = Form::Prepare(op, device, kernel);
  return Form::template TimeOf<double>(features, FromArray<Form, double>(values.data())).time;
}

}  // namespace roofcast::testing
