// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/attention.h"
#include "models/kernels/form.h"

namespace roofcast {

// Causal attention of a processor, blocks of queries at a time over the keys that they see, or key
// by key for one query. With w = 2 (d_k + d_v) H b pairs, and the pairs that are scored and
// softened:
//   t = t0 + s N + smoothmax_p(w / (e P) + H b pairs / (x P), keys and values / (f B))
// The products of a block run at a rate e of their own (they are small), x is the share of the
// exponentials, and N the number of block products (b, KV heads, blocks, group): each costs s.
// Source: [williams2009roofline]; terms that paid in cross-validation. Range: keys >= queries, KV
// cache of decode not in a cache.
struct CpuAttention {
  static constexpr std::string_view kName = "cpu_attention";
  using Shape = Attention;

  struct Kernel {
    std::int64_t block = 128;

    template <class V>
    static constexpr void Fields(V& v) {
      v("block", &Kernel::block, "queries that are worked on together");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T call{};
    T compute_factor{};
    T score_factor{};
    T memory_factor{};
    T overlap{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.05, 1, 200}, "call of any size");
      v("call",
        &Coefficients::call,
        "us",
        FitRange{0.001, 1, 100},
        "each block's products and its softmax");
      v("compute_factor",
        &Coefficients::compute_factor,
        "",
        FitRange{0.02, 0.6, 3},
        "rate of the products over the device's peak");
      v("score_factor",
        &Coefficients::score_factor,
        "",
        FitRange{0.001, 0.05, 3},
        "scores turned into weights over the device's peak");
      v("memory_factor",
        &Coefficients::memory_factor,
        "",
        FitRange{0.05, 0.7, 3},
        "bandwidth of keys and values over the device's");
      v("overlap",
        &Coefficients::overlap,
        "",
        FitRange{1, 3, 20},
        "p: 1 adds computing and memory traffic, large takes the slower one");
    }
  };

  struct Features {
    double calls = 0;
    double compute = 0;  // us at the device's peak
    double scores = 0;   // thousand of them a peak's worth, in us
    double memory = 0;   // us at its bandwidth
  };

  static Features Prepare(const Attention& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Attention& op);
  static std::string_view RegimeOf(const Attention& op);
  static std::string_view FamilyOf(const Attention& op);
  static std::string FormatOf(const Attention& op);
};

}  // namespace roofcast
