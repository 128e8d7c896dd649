// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "models/kernels/form.h"

namespace roofcast {

// The coefficients of a form where fits start.
template <class Form>
typename Form::template Coefficients<double> PriorOf() {
  typename Form::template Coefficients<double> coefficients;
  auto set = [&](std::string_view, auto member, std::string_view, FitRange range, auto&&...) {
    coefficients.*member = range.prior;
  };
  Form::template Coefficients<double>::Fields(set);
  return coefficients;
}

template <class Form>
double TimeOf(const typename Form::Shape& shape,
              const Device& device,
              const typename Form::Kernel& kernel,
              const typename Form::template Coefficients<double>& coefficients) {
  const auto features = Form::Prepare(shape, device, kernel);
  return Form::template TimeOf<double>(features, coefficients).time;
}

// That the derivative by each coefficient is the central difference, and the time on a Jet the
// time on a double.
template <class Form>
void CheckGradient(const typename Form::Shape& shape,
                   const Device& device,
                   const typename Form::Kernel& kernel,
                   const typename Form::template Coefficients<double>& coefficients) {
  constexpr std::size_t kWidth = kCoefficientCount<Form>;
  using Jet = ceres::Jet<double, static_cast<int>(kWidth)>;
  std::array<double, kWidth> at{};
  std::size_t next = 0;
  auto get = [&](std::string_view, auto member, auto&&...) { at[next++] = coefficients.*member; };
  Form::template Coefficients<double>::Fields(get);

  const auto features = Form::Prepare(shape, device, kernel);
  std::array<Jet, kWidth> jets;
  for (std::size_t i = 0; i < kWidth; ++i) jets[i] = Jet(at[i], static_cast<int>(i));
  const Jet time = Form::template TimeOf<Jet>(features, FromArray<Form, Jet>(jets.data())).time;
  const double plain = Form::template TimeOf<double>(features, coefficients).time;
  CHECK(time.a == doctest::Approx(plain).epsilon(1e-14));
  for (std::size_t i = 0; i < kWidth; ++i) {
    CAPTURE(i);
    const double step = 1e-5 * at[i];
    const auto moved = [&](double by) {
      std::array<double, kWidth> there = at;
      there[i] += by;
      return Form::template TimeOf<double>(features, FromArray<Form, double>(there.data())).time;
    };
    const double difference = (moved(step) - moved(-step)) / (2 * step);
    const double derivative = time.v[static_cast<Eigen::Index>(i)];
    const double noise = 1e-14 * plain / step;
    CHECK(std::abs(derivative - difference) <= 1e-6 * std::abs(difference) + noise);
  }
}

}  // namespace roofcast
