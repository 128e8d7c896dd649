// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/form.h"
#include "models/kernels/gemm.h"
#include "models/kernels/gemm_tiles.h"

namespace roofcast {

// A GEMM as libraries run it. Blocks of r x c outputs, with k cut into S parts, run in waves over
// the U units; several candidates (r, c, S) are about as good, and one of these is taken:
//   t = sum_j w_j t_j / sum_j w_j + t_q,  w_j = max(0, 1 - (t_j / min t - 1) / 0.4)^4
//   t_j    = t0 + (compute^p + dram^p + cache^p)^(1/p) + [S > 1] (reduction + 8 S m n / (U l))
//   compute = W (steps s + epilogue r c / 16384)
//     W    = a ceil(blocks / U) + (1 - a) max(blocks / U, 1),  blocks = ceil(m/r) ceil(n/c) S
//     s    = hypot4(2 r c 64 / (e P / U), floor),  steps = ceil(k / (64 S))
//     e    = e_c h / (h + feeding) 10^(-droop/2.3 max(0, log10(2 m n k / 1e10))), h = r c / (r + c)
//   dram   = missed / (e_m B) + hit / (U r_c),  of x and out the cache holds 1 / (1 + (all / C)^q),
//            of W 1 / (1 + ((copies W + x + out) / C)^q) or, without copies, nothing
//   cache  = blocks (r b_x + c b_w) 64 steps / (l U min(1, blocks / U))
//   t_q    = launch + traffic (3 bytes a number) / (e_m B) where x is quantised first
// Launch, floor, epilogue and reduction are given at 1.7 GHz, l and r_c in bytes a cycle.
// Sources: waves and tiles [nvidia-matmul-guide], roofline [williams2009roofline]; splitting with a
// charge, the p-norm, the soft choice and the residency of weights were chosen by cross-validation
// on the operator tables of aiconfigurator. Range: m, n, k, batch >= 1; GPUs.
struct TiledGemm {
  static constexpr std::string_view kName = "tiled_gemm";
  using Shape = Gemm;

  struct Kernel {
    std::int64_t tiles = 0;
    bool splits = true;

    template <class V>
    static constexpr void Fields(V& v) {
      v("tiles", &Kernel::tiles, "the library's tiles, a GemmTiles; 0: those of the architecture");
      v("splits", &Kernel::splits, "whether the library splits k over several blocks");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T compute_efficiency{};
    T feeding{};
    T droop{};
    T memory_efficiency{};
    T cache_to_unit{};
    T cache_share{};
    T cache_edge{};
    T cache_rate{};
    T overlap{};
    T wave_rounding{};
    T epilogue{};
    T step_floor{};
    T reduction{};
    T quantise_launch{};
    T quantise_traffic{};

    template <class V>
    static constexpr void Fields(V& v);
  };

  struct Features {
    std::int64_t m = 0;
    std::int64_t n = 0;
    double k = 0;
    double batch = 1;
    double input_bytes = 0;  // of one number
    double weight_bytes = 0;
    double weights = 0;  // bytes in all
    double others = 0;   // of x and the output
    double copies = 0;
    double quantising = 0;  // bytes
    double output = 0;      // numbers
    double decades = 0;     // log10 of the work over 1e10 flops, at least 0
    double unit_peak = 0;   // flops a microsecond
    double step = 0;        // of k
    DeviceRates rates;
    double unit_share = 1;  // one over the units
    bool splits = true;
    std::span<const GemmTile> tiles;
  };

  static Features Prepare(const Gemm& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const Gemm& op);
  static std::string_view RegimeOf(const Gemm& op);
  static std::string_view FamilyOf(const Gemm& op);
  static std::string FormatOf(const Gemm& op);
};

template <class T>
template <class V>
constexpr void TiledGemm::Coefficients<T>::Fields(V& v) {
  using C = Coefficients;
  v("intercept", &C::intercept, "us", FitRange{0.1, 2.5, 1000}, "launch of any size");
  v("compute_efficiency",
    &C::compute_efficiency,
    "",
    FitRange{0.1, 1, 1.4},
    "ceiling of the dense peak before the tile's shape; known only with `feeding`");
  v("feeding",
    &C::feeding,
    "rows",
    FitRange{0.3, 8, 60},
    "how much small tiles lose to loading their operands");
  v("droop", &C::droop, "", FitRange{0.005, 0.06, 0.4}, "slowing by power for each decade of work");
  v("memory_efficiency",
    &C::memory_efficiency,
    "",
    FitRange{0.3, 0.84, 1},
    "reachable share of the memory bandwidth");
  v("cache_to_unit",
    &C::cache_to_unit,
    "B/cycle",
    FitRange{20, 90, 400},
    "operands from the last level cache to one unit");
  v("cache_share", &C::cache_share, "", FitRange{0.2, 0.7, 1.5}, "what of the cache holds data");
  v("cache_edge", &C::cache_edge, "", FitRange{1, 5, 12}, "how sharply it stops to hold all");
  v("cache_rate", &C::cache_rate, "B/cycle", FitRange{3, 16, 100}, "of what it holds, a unit");
  v("overlap",
    &C::overlap,
    "",
    FitRange{1, 3, 12},
    "p: 1 adds computing and both kinds of traffic, large takes the slowest");
  v("wave_rounding", &C::wave_rounding, "", FitRange{0.02, 0.4, 1}, "1: a started wave is a wave");
  v("epilogue", &C::epilogue, "us", FitRange{0.02, 1, 6}, "writing 128 x 128 outputs");
  v("step_floor", &C::step_floor, "us", FitRange{0.005, 0.05, 0.6}, "the shortest step of k");
  v("reduction", &C::reduction, "us", FitRange{0.2, 2.5, 30}, "adding up the parts of k");
  v("quantise_launch", &C::quantise_launch, "us", FitRange{0.05, 3, 50}, "of quantising x");
  v("quantise_traffic",
    &C::quantise_traffic,
    "",
    FitRange{0.1, 1.5, 10},
    "time of quantising x over that of its traffic");
}

}  // namespace roofcast
