// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/dtype.h"
#include "core/scalar.h"
#include "hardware/device.h"

// A *form* is one equation for the latency of one kind of operator, with the coefficients that a
// fit may set. It is a struct without state:
//
//   struct TiledGemm {
//     static constexpr std::string_view kName = "tiled_gemm";
//     using Shape = Gemm;                    // the operator it costs, one of op_list.h
//     struct Kernel {...};                   // choices that are no numbers: tiles, packing, splits
//     template <class T> struct Coefficients {...};
//     struct Features {...};                 // what a shape implies on a device, whatever the fit
//     static Features Prepare(const Shape&, const Device&, const Kernel&);
//     template <class T> static FormCost<T> TimeOf(const Features&, const Coefficients<T>&);
//     static SizeList SizesOf(const Shape&); // where the shape lies, for ranges and residuals
//     static std::string_view RegimeOf(const Shape&);  // rows whose residuals have one spread
//     static std::string_view FamilyOf(const Shape&);  // "gemm", "prefill", "decode", ...
//     static std::string FormatOf(const Shape&);       // "bf16", "fp8_block", "bf16, kv fp8"
//   };
//
// Kernel lists its fields as v("tile_rows", &Kernel::tile_rows, "what it is"), of std::int64_t or
// bool; Coefficients as v("intercept", &Coefficients::intercept, "us", FitRange{...}, "what it
// is"), all of type T and positive, since fits move their logarithms. Everything is in
// microseconds, bytes, flops and cycles. Prepare may be slow; TimeOf allocates nothing, is
// smooth but for a few kinks, and exists for double and for the Jet that fits differentiate with:
// its .cpp ends in ROOFCAST_INSTANTIATE_FORM(TiledGemm). FamilyOf and FormatOf are the words by
// which fits know what they hold; measured tables and predictions both take them from here. A form
// is registered in forms.h.
namespace roofcast {

// Where a fit may move a coefficient, and where it stays when the data says nothing about it.
struct FitRange {
  double low = 0;
  double prior = 0;
  double high = 0;
};

// A launch in microseconds, its terms apart so that a report can say which is the largest.
template <class T>
struct FormCost {
  T intercept{};
  T compute{};
  T memory{};
  T time{};
};

// Up to five named sizes of a shape, as they are fitted and looked up: all positive.
struct SizeList {
  static constexpr std::size_t kMost = 5;
  std::array<std::pair<std::string_view, double>, kMost> sizes{};
  std::size_t count = 0;
};

// What a device offers, in the units of the forms.
struct DeviceRates {
  double units = 1;      // SMs, compute units or cores
  double clock = 1;      // cycles a microsecond
  double bandwidth = 1;  // bytes a microsecond, of device memory
  double cache = 0;      // bytes of the last level cache; 0: none known

  static DeviceRates Of(const Device& device);
};
// Dense flops a microsecond.
double RateOf(const Device& device, DType dtype);

namespace internal {
struct FieldCounter {
  std::size_t count = 0;
  template <class... A>
  constexpr void operator()(A&&...) {
    ++count;
  }
};
template <class S>
constexpr std::size_t CountFields() {
  FieldCounter counter;
  S::Fields(counter);
  return counter.count;
}
}  // namespace internal

template <class Form>
inline constexpr std::size_t kCoefficientCount =
    internal::CountFields<typename Form::template Coefficients<double>>();

// The coefficients from an array in the order of their fields, and the way back.
template <class Form, class T>
typename Form::template Coefficients<T> FromArray(const T* values) {
  typename Form::template Coefficients<T> coefficients;
  auto set = [&](std::string_view, auto member, auto&&...) { coefficients.*member = *values++; };
  Form::template Coefficients<T>::Fields(set);
  return coefficients;
}

}  // namespace roofcast

// Ends each form's .cpp, which includes <ceres/jet.h>.
// NOLINTBEGIN(bugprone-macro-parentheses): Form names a type
#define ROOFCAST_INSTANTIATE_FORM(Form)                                              \
  template FormCost<double> Form::TimeOf<double>(const Form::Features&,              \
                                                 const Form::Coefficients<double>&); \
  template FormCost<ceres::Jet<double, kCoefficientCount<Form>>>                     \
  Form::TimeOf<ceres::Jet<double, kCoefficientCount<Form>>>(                         \
      const Form::Features&,                                                         \
      const Form::Coefficients<ceres::Jet<double, kCoefficientCount<Form>>>&)
// NOLINTEND(bugprone-macro-parentheses)
