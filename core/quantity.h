// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace roofcast {

// Exponents of the base units that roofcast computes in: second, byte, floating-point operation,
// joule, US dollar.
struct Dim {
  int s = 0;
  int byte = 0;
  int flop = 0;
  int joule = 0;
  int dollar = 0;

  friend constexpr bool operator==(const Dim&, const Dim&) = default;
  friend constexpr Dim operator+(Dim a, Dim b) {
    return {a.s + b.s, a.byte + b.byte, a.flop + b.flop, a.joule + b.joule, a.dollar + b.dollar};
  }
  friend constexpr Dim operator-(Dim a, Dim b) {
    return {a.s - b.s, a.byte - b.byte, a.flop - b.flop, a.joule - b.joule, a.dollar - b.dollar};
  }
};

// A value with a unit that the compiler checks. T is double in predictions and a ceres::Jet in
// fits. Construction from a raw number is explicit and there is no way back but value(), so that
// bytes / (flop/s) can't become seconds. Products whose units cancel collapse to plain T.
template <Dim D, class T = double>
class Quantity {
 public:
  using Scalar = T;
  static constexpr Dim kDim = D;

  constexpr Quantity() = default;
  explicit constexpr Quantity(T value) : value_(value) {}
  // A double quantity is usable where a Jet is expected (constants, device figures), never the
  // other way round: that would drop the derivatives.
  template <class U>
  requires(std::is_same_v<U, double> && !std::is_same_v<T, double> &&
           std::is_constructible_v<T, double>) constexpr Quantity(const Quantity<D, U>& other)
      : value_(T(other.value())) {}

  constexpr const T& value() const { return value_; }

  constexpr Quantity& operator+=(const Quantity& other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(const Quantity& other) {
    value_ -= other.value_;
    return *this;
  }
  template <class N>
  requires std::is_constructible_v<T, N>
  constexpr Quantity& operator*=(const N& factor) {
    value_ *= static_cast<T>(factor);
    return *this;
  }
  template <class N>
  requires std::is_constructible_v<T, N>
  constexpr Quantity& operator/=(const N& factor) {
    value_ /= static_cast<T>(factor);
    return *this;
  }
  constexpr Quantity operator-() const { return Quantity(-value_); }

 private:
  T value_{0};
};

namespace internal {
template <Dim D, class T>
constexpr auto Wrap(const T& value) {
  if constexpr (D == Dim{}) {
    return value;
  } else {
    return Quantity<D, T>(value);
  }
}
}  // namespace internal

template <Dim D, class T, class U>
constexpr auto operator+(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return Quantity<D, decltype(a.value() + b.value())>(a.value() + b.value());
}
template <Dim D, class T, class U>
constexpr auto operator-(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return Quantity<D, decltype(a.value() - b.value())>(a.value() - b.value());
}
template <Dim A, class T, Dim B, class U>
constexpr auto operator*(const Quantity<A, T>& a, const Quantity<B, U>& b) {
  return internal::Wrap<A + B, decltype(a.value() * b.value())>(a.value() * b.value());
}
template <Dim A, class T, Dim B, class U>
constexpr auto operator/(const Quantity<A, T>& a, const Quantity<B, U>& b) {
  return internal::Wrap<A - B, decltype(a.value() / b.value())>(a.value() / b.value());
}

// A plain number as a factor: a count, a ratio or a fitted efficiency.
template <class N>
concept Factor = requires(N n) {
  n * 1.0;
}
&&!requires {
  N::kDim;
};

template <Dim D, class T, Factor N>
constexpr auto operator*(const Quantity<D, T>& a, const N& n) {
  if constexpr (std::is_arithmetic_v<N>) {
    return Quantity<D, T>(a.value() * static_cast<double>(n));
  } else {
    return Quantity<D, N>(a.value() * n);
  }
}
template <Dim D, class T, Factor N>
constexpr auto operator*(const N& n, const Quantity<D, T>& a) {
  return a * n;
}
template <Dim D, class T, Factor N>
constexpr auto operator/(const Quantity<D, T>& a, const N& n) {
  if constexpr (std::is_arithmetic_v<N>) {
    return Quantity<D, T>(a.value() / static_cast<double>(n));
  } else {
    return Quantity<D, N>(a.value() / n);
  }
}

// One over a quantity: the period of a clock, the time per byte of a link.
template <Dim D, class T, Factor N>
constexpr auto operator/(const N& n, const Quantity<D, T>& a) {
  if constexpr (std::is_arithmetic_v<N>) {
    return Quantity<Dim{} - D, T>(static_cast<double>(n) / a.value());
  } else {
    return Quantity<Dim{} - D, N>(n / a.value());
  }
}

template <Dim D, class T, class U>
constexpr bool operator<(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return a.value() < b.value();
}
template <Dim D, class T, class U>
constexpr bool operator>(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return b < a;
}
template <Dim D, class T, class U>
constexpr bool operator<=(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return !(b < a);
}
template <Dim D, class T, class U>
constexpr bool operator>=(const Quantity<D, T>& a, const Quantity<D, U>& b) {
  return !(a < b);
}
template <Dim D, class T>
constexpr bool operator==(const Quantity<D, T>& a, const Quantity<D, T>& b) {
  return a.value() == b.value();
}

template <class T = double>
using SecondsT = Quantity<Dim{.s = 1}, T>;
template <class T = double>
using BandwidthT = Quantity<Dim{.s = -1, .byte = 1}, T>;
template <class T = double>
using FlopRateT = Quantity<Dim{.s = -1, .flop = 1}, T>;

using Seconds = Quantity<Dim{.s = 1}>;
using Hertz = Quantity<Dim{.s = -1}>;
using Bytes = Quantity<Dim{.byte = 1}>;
using Flops = Quantity<Dim{.flop = 1}>;
using FlopRate = Quantity<Dim{.s = -1, .flop = 1}>;
using Bandwidth = Quantity<Dim{.s = -1, .byte = 1}>;
using Joules = Quantity<Dim{.joule = 1}>;
using Watts = Quantity<Dim{.s = -1, .joule = 1}>;
using Dollars = Quantity<Dim{.dollar = 1}>;
using DollarRate = Quantity<Dim{.s = -1, .dollar = 1}>;

}  // namespace roofcast
