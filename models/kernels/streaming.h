// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/device.h"
#include "models/kernels/cache_share.h"
#include "models/kernels/elementwise.h"
#include "models/kernels/form.h"

namespace roofcast {

// A pass over memory, in the order that its kernel walks:
//   t = launches (t0 (1 + r (1 - exp(-S / 110 kB))) + (mem^3 + fill^3 + issue^3)^(1/3))
//   mem   = passes w (S / B + h (cost S / (64 B SMs f) - S / B)), h = 1 / (1 + (S / (kappa L))^q)
//   fill  = waves (latency + c_l max(0, cols - at_once))
//   issue = c_r rows / SMs
// with S the traffic of a launch, B the bandwidth of memory, L the last level cache and f the
// clock. h is the share that the cache still holds from the operator before. Passes over 1 are
// tensors that the kernel reads again, or bandwidth that it doesn't reach; w = reread for rows that
// are longer than a block keeps in registers, else 1. Kernels that give each row to one block of
// threads pay for the row's length, whatever the traffic, once in each wave of blocks that the SMs
// hold; kernels that split all numbers evenly (block = 0) have one wave and no rows. 110 kB is
// where the first misses of all SMs are out: fitted alone it lies between 80 and 150 kB on H100,
// B200 and L40S.
//
// Source: residuals of static quantisation (TRT-LLM, vLLM, SGLang) on H100, B200, L40S and of
// Vidur's operators on A100, A40, H100. Range: fitted from 100 B to 8 GB.
struct Streaming {
  static constexpr std::string_view kName = "streaming";
  using Shape = Elementwise;

  struct Kernel {
    std::int64_t block = 0;    // threads that share a row at most; 0: rows don't matter
    std::int64_t at_once = 0;  // columns that a block has in flight before it waits
    std::int64_t held = 0;     // columns that a block keeps; longer rows are reread; 0: any
    bool whole_waves = false;  // a wave ends before the next begins: long blocks of equal length
    template <class V>
    static constexpr void Fields(V& v) {
      v("block", &Kernel::block, "threads that share a row at most; 0: rows don't matter");
      v("at_once", &Kernel::at_once, "columns of a row that cost nothing yet");
      v("held", &Kernel::held, "longest row that is read once; 0: any");
      v("whole_waves", &Kernel::whole_waves, "a wave of blocks ends before the next begins");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T first_misses{};
    T latency{};
    T passes{};
    T reread{};
    T cache_cost{};
    T cache_reach{};
    T cache_edge{};
    T row_cost{};
    T column_cost{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.1, 2, 200}, "launch of any size");
      v("first_misses",
        &Coefficients::first_misses,
        "",
        FitRange{0.001, 0.06, 1},
        "r: added to the launch once all SMs wait for memory");
      v("latency", &Coefficients::latency, "us", FitRange{0.005, 0.3, 50}, "shortest row");
      v("passes",
        &Coefficients::passes,
        "",
        FitRange{0.7, 1.3, 30},
        "traffic over that of each tensor once at the datasheet's bandwidth");
      v("reread",
        &Coefficients::reread,
        "",
        FitRange{1, 1.5, 6},
        "w: passes of a row that is not held, over those of one that is");
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
        FitRange{1, 6, 40},
        "q: how sharply the cache is exceeded");
      v("row_cost", &Coefficients::row_cost, "us", FitRange{1e-4, 0.03, 10}, "a row on one SM");
      v("column_cost",
        &Coefficients::column_cost,
        "us",
        FitRange{1e-6, 2e-4, 0.05},
        "a column of a row that one block walks through");
    }
  };

  struct Features {
    double launches = 1;
    double misses = 0;      // 1 - exp(-traffic of a launch / 110 kB)
    CachedTraffic traffic;  // of one launch
    bool reread = false;
    double waves = 1;
    double columns = 0;  // beyond those at once
    double rows = 0;     // an SM
  };

  static Features Prepare(const Elementwise& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Elementwise& op);
  static std::string_view RegimeOf(const Elementwise& op);
  static std::string_view FamilyOf(const Elementwise& op);
  // The kind and the width of what is read: "norm 16 bit". bf16 and fp16 move alike.
  static std::string FormatOf(const Elementwise& op);
  // Formats whose fits can predict this operator on one device, the best first: its own; its kind
  // in the other widths; then those that stand in for its kind, likewise.
  static std::vector<std::string> FormatsFor(const Elementwise& op);
};

}  // namespace roofcast
