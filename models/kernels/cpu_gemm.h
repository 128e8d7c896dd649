// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/form.h"
#include "models/kernels/gemm.h"

namespace roofcast {

// A matrix product of a processor, with weights that come from memory and activations that stay in
// its caches, as in a model larger than they are:
//   t = t0 + smoothmax_p(2 m n k / (e P m/(m + m0) n/(n + n0) k/(k + k0)), n k b_w / (f B))
//   t = t0 + n k b_w / (f_1 B k/(k + k_1))                                           m = 1
// The halves say from which sizes on the kernel's blocks are full: edges, loads of the accumulators
// and copies of the weights cost as much as so many more rows, columns or steps. A product with a
// vector (m = 1) is another kernel, that streams the weights: of the halves it has a k_1 of its
// own, and f_1 instead of f. Peak and bandwidth are those that the benchmark reached, so that e and
// f may exceed 1. Source: [williams2009roofline]; terms that paid in cross-validation on oneDNN.
// Range: m, n, k >= 1, weights not in a cache.
struct CpuGemm {
  static constexpr std::string_view kName = "cpu_gemm";
  using Shape = Gemm;

  struct Kernel {
    template <class V>
    static constexpr void Fields(V&) {}
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T compute_factor{};
    T half_rows{};
    T half_columns{};
    T half_depth{};
    T memory_factor{};
    T vector_factor{};
    T vector_half_depth{};
    T overlap{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.05, 1, 200}, "call of any size");
      v("compute_factor",
        &Coefficients::compute_factor,
        "",
        FitRange{0.2, 1.1, 3},
        "rate of large products over the device's peak");
      v("half_rows",
        &Coefficients::half_rows,
        "",
        FitRange{0.01, 2, 100},
        "rows at which half of the rate is reached");
      v("half_columns",
        &Coefficients::half_columns,
        "",
        FitRange{0.1, 20, 2000},
        "columns of the output at which half of the rate is reached");
      v("half_depth",
        &Coefficients::half_depth,
        "",
        FitRange{0.1, 20, 2000},
        "terms of a sum at which half of the rate is reached");
      v("memory_factor",
        &Coefficients::memory_factor,
        "",
        FitRange{0.05, 0.7, 3},
        "bandwidth of weights over the device's");
      v("vector_factor",
        &Coefficients::vector_factor,
        "",
        FitRange{0.05, 0.9, 3},
        "the same of a product with a vector");
      v("vector_half_depth",
        &Coefficients::vector_half_depth,
        "",
        FitRange{0.1, 100, 2000},
        "terms of a sum at which a product with a vector reaches half of its rate");
      v("overlap",
        &Coefficients::overlap,
        "",
        FitRange{1, 3, 20},
        "p: 1 adds computing and memory traffic, large takes the slower one");
    }
  };

  struct Features {
    double rows = 0;
    double columns = 0;
    double depth = 0;
    double compute = 0;  // us at the device's peak
    double memory = 0;   // us of the weights at its bandwidth
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
