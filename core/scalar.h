// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "core/quantity.h"

// The closed set of scalars that formulas are written for: double in predictions, Dual in fits.
// Only .cpp files that instantiate formulas include <ceres/jet.h>; everybody else sees a name.
namespace ceres {
template <typename T, int N>
struct Jet;
}

namespace roofcast {

// Eight partial derivatives at a time: ceres::DynamicAutoDiffCostFunction with stride 8 evaluates
// any number of parameters with this one type.
inline constexpr int kDualWidth = 8;
using Dual = ceres::Jet<double, kDualWidth>;

// A count as a factor of a formula.
constexpr double Number(std::int64_t count) {
  return static_cast<double>(count);
}

// The larger and the smaller of two values; the branch is on the value, so a Jet keeps the winner's
// derivative. Of two equal values Max is the first and Min the second, so that together they are
// both. By value: a reference to a temporary argument would dangle.
template <class T>
constexpr T Max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr T Min(const T& a, const T& b) {
  return a < b ? a : b;
}

// p-norm of two non-negative values, (a^p + b^p)^(1/p): between max (p -> inf) and sum (p = 1).
// Written relative to the larger value so that nothing overflows.
template <class T, class P>
T SmoothMax(const T& a, const T& b, const P& p) {
  using std::pow;
  T high = Max(a, b);
  const T low = Min(a, b);
  if (!(low > 0.0)) return high;
  return high * pow(1.0 + pow(low / high, p), 1.0 / p);
}
template <Dim D, class T, class P>
Quantity<D, T> SmoothMax(const Quantity<D, T>& a, const Quantity<D, T>& b, const P& p) {
  return Quantity<D, T>(SmoothMax(a.value(), b.value(), p));
}

}  // namespace roofcast
