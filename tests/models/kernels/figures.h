// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/jet.h>

#include <string>
#include <string_view>
#include <vector>

#include "models/coefficients.h"

// Sets of coefficients for tests, and their figures one after the other.
namespace roofcast {

namespace internal {
template <class T>
double Plain(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return value.a;
  }
}
}  // namespace internal

// Calls f(name, figure) for every figure of every family, "gemm.intercept" and on.
template <class C, class F>
void ForEachFigure(C& coefficients, F f) {
  auto families = [&](std::string_view family, auto member, auto...) {
    auto& values = coefficients.*member;
    auto figures = [&](std::string_view key, auto figure, auto...) {
      f(std::string(family) + "." + std::string(key), values.*figure);
    };
    std::remove_cvref_t<decltype(values)>::Fields(figures);
  };
  std::remove_cvref_t<C>::Fields(families);
}

struct NamedFigure {
  std::string name;
  double value = 0;
};
inline std::vector<NamedFigure> FiguresOf(const Coefficients<double>& coefficients) {
  std::vector<NamedFigure> figures;
  ForEachFigure(coefficients, [&](const std::string& name, const auto& figure) {
    if constexpr (IsQuantity<std::remove_cvref_t<decltype(figure)>>::value) {
      figures.push_back({name, figure.value()});
    } else {
      figures.push_back({name, figure});
    }
  });
  return figures;
}

// The coefficients that have these figures, in the order of FiguresOf; `seeded` gets derivative 1.
template <class T>
Coefficients<T> FromFigures(const std::vector<NamedFigure>& figures, std::size_t seeded = ~0UL) {
  Coefficients<T> coefficients;
  std::size_t index = 0;
  ForEachFigure(coefficients, [&](const std::string&, auto& figure) {
    T value(figures[index].value);
    if constexpr (!std::is_same_v<T, double>) {
      if (index == seeded) value.v[0] = 1;
    }
    figure = std::remove_cvref_t<decltype(figure)>(value);
    ++index;
  });
  return coefficients;
}

// Figures that tests compute with by hand; those that predictions use may change.
inline Coefficients<double> RoundCoefficients() {
  const KernelCoefficients<double> kernel{Seconds(3e-6), 0.75, 0.8, 4};
  Coefficients<double> coefficients;
  coefficients.gemm = coefficients.grouped_gemm = kernel;
  coefficients.prefill_attention = coefficients.decode_attention = kernel;
  coefficients.elementwise = coefficients.embedding = kernel;
  coefficients.collective = {Seconds(5e-6), Seconds(1e-6), Seconds(10e-6), 0.75};
  coefficients.memory = {Bytes(1.25 * 1024 * 1024 * 1024)};
  return coefficients;
}

// Nothing lost: datasheet rates, no launch, no hop, perfect overlap.
inline Coefficients<double> IdealCoefficients() {
  std::vector<NamedFigure> figures = FiguresOf(Coefficients<double>{});
  for (NamedFigure& figure : figures) {
    if (figure.name.ends_with("_efficiency")) figure.value = 1;
    if (figure.name.ends_with("overlap_exponent")) figure.value = 1000;
  }
  return FromFigures<double>(figures);
}

// Central difference of `time` (a function of Coefficients<double>) in one figure.
template <class F>
double CentralDifference(std::vector<NamedFigure> figures, std::size_t index, F time) {
  const double at = figures[index].value;
  const double step = at * 1e-5;
  figures[index].value = at + step;
  const double above = time(FromFigures<double>(figures));
  figures[index].value = at - step;
  const double below = time(FromFigures<double>(figures));
  return (above - below) / (2 * step);
}

}  // namespace roofcast
