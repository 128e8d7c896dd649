// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/form.h"
#include "models/kernels/gemm.h"

namespace roofcast {

// The baseline of every GEMM fit: one efficiency each for computing and memory, and the launch,
//   t = t0 + smoothmax_p(2 m n k / (e_c P), (m k b_x + n k b_w s + m n b_out) / (e_m B)).
// Source: [williams2009roofline]. Range: m, n, k >= 1.
struct RooflineGemm {
  static constexpr std::string_view kName = "roofline_gemm";
  using Shape = Gemm;

  struct Kernel {
    template <class V>
    static constexpr void Fields(V&) {}
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T compute_efficiency{};
    T memory_efficiency{};
    T overlap{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.1, 3, 1000}, "launch of any size");
      v("compute_efficiency",
        &Coefficients::compute_efficiency,
        "",
        FitRange{0.01, 0.75, 1},
        "reachable share of the dense peak");
      v("memory_efficiency",
        &Coefficients::memory_efficiency,
        "",
        FitRange{0.01, 0.8, 1},
        "reachable share of the memory bandwidth");
      v("overlap",
        &Coefficients::overlap,
        "",
        FitRange{1, 2.5, 20},
        "p: 1 adds computing and memory traffic, large takes the slower one");
    }
  };

  struct Features {
    double compute = 0;  // us at the dense peak
    double memory = 0;   // us at the datasheet's bandwidth
  };

  static Features Prepare(const Gemm& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Gemm& op);
  static std::string_view RegimeOf(const Gemm& op);
  static std::string_view FamilyOf(const Gemm& op);
  static std::string FormatOf(const Gemm& op);
};

}  // namespace roofcast
