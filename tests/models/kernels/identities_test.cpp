// SPDX-License-Identifier: Apache-2.0
// What must hold for every operator of the list; the shapes are in operator_cases.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include "hardware/catalog.h"
#include "models/kernels/op_list.h"
#include "tests/models/kernels/figures.h"
#include "tests/models/kernels/operator_cases.h"

namespace roofcast {
namespace {

// clang-format off
template <class O, class T>
concept CostIn = requires(const O& op, const Device& device, const Coefficients<T>& coefficients) {
  { CostOf<T>(op, device, coefficients) } -> std::same_as<Cost<T>>;
};
// clang-format on
template <class... Os>
constexpr bool AllHaveCost(TypeList<Os...>) {
  return (... && (CostIn<Os, double> && CostIn<Os, Dual>));
}
static_assert(AllHaveCost(Ops{}));
// A type without a CostOf of its own must not fall back on the one of the variant.
struct BecomesOp {
  operator Op() const { return Gemm{}; }  // NOLINT: implicit on purpose
};
static_assert(CostIn<Op, double> && !CostIn<BecomesOp, double>);

// Calls f(shape, cases) for every shape of every operator.
template <class F, class... Os>
void ForEachShape(TypeList<Os...>, F f) {
  const auto each = [&](auto cases, const auto& rows) {
    for (const auto& op : rows) {
      CAPTURE(Op(op).index());
      CAPTURE(&op - rows.data());
      f(op, cases);
    }
  };
  (each(CasesOf<Os>{}, CasesOf<Os>::Rows()), ...);
}

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

constexpr double kRounding = 1 + 1e-12;

}  // namespace

TEST_CASE("no operator is faster than its work at the peak or its traffic at full bandwidth") {
  for (const auto& coefficients :
       {LoadFit().coefficients, RoundCoefficients(), IdealCoefficients()}) {
    ForEachShape(Ops{}, [&](const auto& op, auto cases) {
      const auto cost = CostOf<double>(op, H100(), coefficients);
      const Seconds computing = cost.work / cases.PeakOf(op, H100());
      const Seconds moving = cost.traffic / H100().memory.bandwidth;
      CHECK(cost.time * kRounding >= cost.intercept + std::max(computing, moving));
      CHECK(cost.traffic > Bytes(0));
    });
  }
}

TEST_CASE("with ideal coefficients an operator takes its roofline exactly") {
  ForEachShape(Ops{}, [&](const auto& op, auto cases) {
    const auto cost = CostOf<double>(op, H100(), IdealCoefficients());
    const Seconds computing = cost.work / cases.PeakOf(op, H100());
    const Seconds moving = cost.traffic / H100().memory.bandwidth;
    CHECK(cost.time.value() == doctest::Approx(std::max(computing, moving).value()).epsilon(1e-3));
  });
}

TEST_CASE("every operator is monotone in each of its sizes") {
  ForEachShape(Ops{}, [&](const auto& op, auto cases) {
    const auto before = CostOf<double>(op, H100(), RoundCoefficients());
    for (const auto& growth : cases.Growths()) {
      CAPTURE(growth.name);
      auto larger = op;
      growth.grow(larger);
      const auto after = CostOf<double>(larger, H100(), RoundCoefficients());
      CHECK(after.time >= before.time);
      CHECK(after.work >= before.work);
      CHECK(after.traffic >= before.traffic);
    }
  });
}

TEST_CASE("the time on a Jet is the time on a double to the last bit") {
  const auto figures = FiguresOf(RoundCoefficients());
  ForEachShape(Ops{}, [&](const auto& op, auto) {
    const auto plain = CostOf<double>(op, H100(), RoundCoefficients());
    const auto dual = CostOf<Dual>(op, H100(), FromFigures<Dual>(figures));
    CHECK(dual.time.value().a == doctest::Approx(plain.time.value()).epsilon(1e-15));
    CHECK(dual.bound == plain.bound);
  });
}

TEST_CASE("derivatives on a Jet are central differences, in the operator's own family alone") {
  const auto figures = FiguresOf(RoundCoefficients());
  ForEachShape(Ops{}, [&](const auto& op, auto cases) {
    int moving = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      CAPTURE(figures[i].name);
      const double derivative =
          CostOf<Dual>(op, H100(), FromFigures<Dual>(figures, i)).time.value().v[0];
      const auto time = [&](const Coefficients<double>& c) {
        return CostOf<double>(op, H100(), c).time.value();
      };
      const double difference = CentralDifference(figures, i, time);
      // The difference of two times is exact to their rounding only.
      const double noise = 1e-15 * time(RoundCoefficients()) / (1e-5 * figures[i].value);
      CHECK(std::abs(derivative - difference) <= 1e-7 * std::abs(difference) + noise);
      if (derivative == 0) continue;
      CHECK(figures[i].name.starts_with(cases.FamilyOf(op)));
      ++moving;
    }
    CHECK(moving >= 1);
  });
}

TEST_CASE("where computing and traffic take equally long, both derivatives count") {
  // Elementwise with compute time = memory time exactly: a power of two of both.
  Device device = H100();
  device.vector_peak = {{DType::kFp32, FlopRate(1024)}};
  device.memory.bandwidth = Bandwidth(1024);
  auto figures = FiguresOf(IdealCoefficients());
  for (NamedFigure& figure : figures) {
    if (figure.name == "elementwise.overlap_exponent") figure.value = 4;
  }
  const Elementwise op{Bytes(4096), Flops(4096)};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].name.starts_with("elementwise.") || figures[i].value == 0) continue;
    CAPTURE(figures[i].name);
    const double derivative =
        CostOf<Dual>(op, device, FromFigures<Dual>(figures, i)).time.value().v[0];
    const double difference = CentralDifference(
        figures, i, [&](const auto& c) { return CostOf<double>(op, device, c).time.value(); });
    CHECK(derivative == doctest::Approx(difference).epsilon(1e-6));
  }
}

TEST_CASE("doubling the memory bandwidth or every peak never slows an operator") {
  Device wider = H100();
  wider.memory.bandwidth *= 2;
  Device faster = H100();
  for (auto& [dtype, rate] : faster.peak) rate *= 2;
  for (auto& [dtype, rate] : faster.vector_peak) rate *= 2;
  ForEachShape(Ops{}, [&](const auto& op, auto) {
    const Seconds time = CostOf<double>(op, H100(), RoundCoefficients()).time;
    CHECK(CostOf<double>(op, wider, RoundCoefficients()).time <= time);
    CHECK(CostOf<double>(op, faster, RoundCoefficients()).time <= time);
  });
}

TEST_CASE("a format of half the size never slows an operator") {
  ForEachShape(Ops{}, [&](const auto& op, auto cases) {
    for (const auto format : cases.Formats()) {
      auto narrow = op;
      narrow.*format = DType::kFp8;
      CHECK(CostOf<double>(narrow, H100(), RoundCoefficients()).time <=
            CostOf<double>(op, H100(), RoundCoefficients()).time);
    }
  });
}

TEST_CASE("the variant costs what the operator in it costs") {
  ForEachShape(Ops{}, [&](const auto& op, auto) {
    CHECK(CostOf<double>(Op(op), H100(), RoundCoefficients()).time ==
          CostOf<double>(op, H100(), RoundCoefficients()).time);
  });
}

}  // namespace roofcast
