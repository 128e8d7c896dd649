// SPDX-License-Identifier: Apache-2.0
#include "core/quantity.h"

#include <ceres/jet.h>
#include <doctest/doctest.h>

#include "core/scalar.h"

namespace roofcast {
namespace {

// What may not compile.
template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept Equals = requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept Converts = std::is_convertible_v<A, B>;

static_assert(Adds<Seconds, Seconds>);
static_assert(!Adds<Seconds, Bytes>);
static_assert(!Adds<Seconds, double>);
static_assert(!Compares<Seconds, Bytes>);
static_assert(!Compares<Bandwidth, FlopRate>);
static_assert(!Equals<Seconds, double>);
static_assert(!Converts<double, Seconds>, "a raw number needs its unit named");
static_assert(!Converts<Seconds, double>, "the way back is value()");
static_assert(!Converts<Bytes, Seconds>);
static_assert(std::is_constructible_v<Seconds, double>);

// A time is bytes over bytes/s; bytes over flop/s is none.
static_assert(std::is_same_v<decltype(Bytes() / Bandwidth()), Seconds>);
static_assert(!std::is_same_v<decltype(Bytes() / FlopRate()), Seconds>);
static_assert(std::is_same_v<decltype(Flops() / FlopRate()), Seconds>);
static_assert(std::is_same_v<decltype(Bandwidth() * Seconds()), Bytes>);
static_assert(std::is_same_v<decltype(Watts() * Seconds()), Joules>);
static_assert(std::is_same_v<decltype(1.0 / Hertz()), Seconds>);

// What cancels is a plain number, and only what cancels.
static_assert(std::is_same_v<decltype(Seconds() / Seconds()), double>);
static_assert(std::is_same_v<decltype(Seconds() * Hertz()), double>);
static_assert(!std::is_same_v<decltype(Seconds() * Seconds()), double>);

// Fits compute with Jets, and device figures stay double beside them.
using DualSeconds = SecondsT<Dual>;
static_assert(std::is_same_v<decltype(Bytes() / BandwidthT<Dual>()), DualSeconds>);
static_assert(std::is_same_v<decltype(Seconds() * Dual()), DualSeconds>);
static_assert(std::is_same_v<decltype(Seconds() + DualSeconds()), DualSeconds>);
static_assert(std::is_same_v<decltype(DualSeconds() / Seconds()), Dual>);
static_assert(Converts<Seconds, DualSeconds>);
static_assert(!Converts<DualSeconds, Seconds>, "derivatives may not get lost silently");

TEST_CASE("Quantities compute like their numbers") {
  const Bytes bytes(6e9);
  const Bandwidth bandwidth(2e9);
  CHECK((bytes / bandwidth).value() == 3);
  CHECK((bytes + bytes).value() == 12e9);
  CHECK((bytes - Bytes(1e9)).value() == 5e9);
  CHECK((-bytes).value() == -6e9);
  CHECK((bytes * 2).value() == 12e9);
  CHECK((std::int64_t{2} * bytes).value() == 12e9);
  CHECK((bytes / 4).value() == 1.5e9);
  CHECK(bytes / Bytes(2e9) == 3);
  CHECK((1 / Hertz(4)).value() == 0.25);
  CHECK(Seconds().value() == 0);
  Seconds sum(1);
  sum += Seconds(2);
  sum -= Seconds(0.5);
  sum *= 4;
  sum /= std::int64_t{2};
  CHECK(sum == Seconds(5));
  CHECK(Seconds(1) < Seconds(2));
  CHECK(Seconds(2) >= Seconds(2));
  CHECK(Seconds(2) != Seconds(3));
}

TEST_CASE("A Jet carries its derivative through a quantity") {
  Dual efficiency(0.5, 0);  // the first parameter
  const FlopRate peak(1e12);
  const auto time = Flops(2e12) / (peak * efficiency);
  CHECK(time.value().a == doctest::Approx(4));
  CHECK(time.value().v[0] == doctest::Approx(-8));  // d(2/e)/de = -2/e^2
  CHECK(time.value().v[1] == 0);
  CHECK((Seconds(3) + time).value().a == doctest::Approx(7));
}

TEST_CASE("SmoothMax lies between the maximum and the sum, and is their limits") {
  for (const double p : {1.0, 2.0, 4.0, 16.0}) {
    CAPTURE(p);
    const double smooth = SmoothMax(3.0, 4.0, p);
    CHECK(smooth >= 4);
    CHECK(smooth <= 7 + 1e-12);
  }
  CHECK(SmoothMax(3.0, 4.0, 1.0) == doctest::Approx(7));
  CHECK(SmoothMax(3.0, 4.0, 2.0) == doctest::Approx(5));
  CHECK(SmoothMax(3.0, 4.0, 400.0) == doctest::Approx(4));
  CHECK(SmoothMax(0.0, 4.0, 3.0) == 4);
  CHECK(SmoothMax(0.0, 0.0, 3.0) == 0);
  CHECK(SmoothMax(1e300, 1e300, 2.0) == doctest::Approx(std::sqrt(2.0) * 1e300));
  CHECK(SmoothMax(Seconds(3), Seconds(4), 2.0).value() == doctest::Approx(5));
}

TEST_CASE("SmoothMax has the derivative of its formula in both values and in p") {
  const auto at = [](double a, double b, double p) { return SmoothMax(a, b, p); };
  const Dual smooth = SmoothMax(Dual(3.0, 0), Dual(4.0, 1), Dual(2.5, 2));
  constexpr double kStep = 1e-6;
  CHECK(smooth.v[0] == doctest::Approx((at(3 + kStep, 4, 2.5) - at(3 - kStep, 4, 2.5)) / 2e-6));
  CHECK(smooth.v[1] == doctest::Approx((at(3, 4 + kStep, 2.5) - at(3, 4 - kStep, 2.5)) / 2e-6));
  CHECK(smooth.v[2] == doctest::Approx((at(3, 4, 2.5 + kStep) - at(3, 4, 2.5 - kStep)) / 2e-6));
}

TEST_CASE("Max and Min keep the derivative of the one that they return") {
  const Dual a(1.0, 0);
  const Dual b(2.0, 1);
  CHECK(Max(a, b).v[1] == 1);
  CHECK(Max(a, b).v[0] == 0);
  CHECK(Min(a, b).v[0] == 1);
}

}  // namespace
}  // namespace roofcast
