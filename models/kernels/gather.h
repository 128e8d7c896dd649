// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/cache_share.h"
#include "models/kernels/embedding.h"
#include "models/kernels/form.h"

namespace roofcast {

// Rows of a table by their numbers, as torch.nn.functional.embedding does it:
//   t = t0 + c_i tokens [tokens <= 16] + passes (S / B + h (cost S / (64 B SMs f) - S / B))
// with S the bytes of the rows, read and written, and the rest as in streaming.h. Up to 16 tokens
// PyTorch takes a kernel whose blocks walk through the tokens one after the other. Source: Vidur's
// `emb` on A100, A40, H100 (1 to 4096 tokens of 2560 to 8192 numbers), where the looked-up rows are
// random, and warm when they are few. Range: the same.
struct Gather {
  static constexpr std::string_view kName = "gather";
  using Shape = Embedding;

  struct Kernel {
    template <class V>
    static constexpr void Fields(V&) {}
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T token_cost{};
    T passes{};
    T cache_cost{};
    T cache_reach{};
    T cache_edge{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.1, 2, 200}, "launch of any size");
      v("token_cost",
        &Coefficients::token_cost,
        "us",
        FitRange{0.01, 0.4, 10},
        "a token where they follow each other");
      v("passes",
        &Coefficients::passes,
        "",
        FitRange{0.7, 3, 30},
        "time over that of reading and writing each row once at the datasheet's bandwidth");
      v("cache_cost",
        &Coefficients::cache_cost,
        "cycles",
        FitRange{0.3, 3, 60},
        "cycles of an SM for 64 bytes that the cache holds");
      v("cache_reach",
        &Coefficients::cache_reach,
        "",
        FitRange{0.05, 0.8, 10},
        "kappa: traffic, in cache sizes, of which half is still held");
      v("cache_edge",
        &Coefficients::cache_edge,
        "",
        FitRange{1, 4, 40},
        "q: how sharply the cache is exceeded");
    }
  };

  struct Features {
    double serial = 0;  // tokens that follow each other
    CachedTraffic traffic;
  };

  static Features Prepare(const Embedding& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Embedding& op);
  static std::string_view RegimeOf(const Embedding& op);
  static std::string_view FamilyOf(const Embedding& op);
  static std::string FormatOf(const Embedding& op);
};

}  // namespace roofcast
