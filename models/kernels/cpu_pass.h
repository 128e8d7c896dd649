// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/elementwise.h"
#include "models/kernels/form.h"

namespace roofcast {

// A pass of a processor over activations that an operator before it has left in its caches:
//   t = t0 + smoothmax_4(D / (f B), (D - C) / (g B))
// with D what it reads and writes and C the last level of cache: within the cache it runs at f
// times the device's bandwidth, and what lies beyond comes from memory at g times it.
// Source: [williams2009roofline]. Range: traffic > 0.
struct CpuPass {
  static constexpr std::string_view kName = "cpu_pass";
  using Shape = Elementwise;

  struct Kernel {
    template <class V>
    static constexpr void Fields(V&) {}
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T cache_factor{};
    T memory_factor{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.01, 0.5, 200}, "call of any size");
      v("cache_factor",
        &Coefficients::cache_factor,
        "",
        FitRange{0.02, 2, 100},
        "bandwidth within the last level of cache over the device's");
      v("memory_factor",
        &Coefficients::memory_factor,
        "",
        FitRange{0.05, 0.9, 5},
        "bandwidth beyond it over the device's");
    }
  };

  struct Features {
    double traffic = 0;  // us at the device's bandwidth
    double beyond = 0;   // us of what doesn't fit into the cache
  };

  static Features Prepare(const Elementwise& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Elementwise& op);
  static std::string_view RegimeOf(const Elementwise& op);
  static std::string_view FamilyOf(const Elementwise& op);
  static std::string FormatOf(const Elementwise& op);
};

}  // namespace roofcast
