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

// A GEMM as the libraries run it: they pick a tile and a split of k, and each candidate costs
//   t_j = t0 + ((t_comp^p + t_dram^p + t_l2^p)^(1/p)) + [S > 1] (t_r + 8 S m n / l2) + t_q
struct TiledGemm {
  static constexpr std::string_view kName = "tiled_gemm";
  using Shape = Gemm;

  struct Kernel {
    std::int64_t tiles = 0;  // a GemmTiles
    bool splits = true;

    template <class V>
    static constexpr void Fields(V& v) {
      v("tiles", &Kernel::tiles, "which tiles: 0 those of the architecture, else a GemmTiles");
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
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{0.1, 2.3, 1000}, "launch");
      v("compute_efficiency", &Coefficients::compute_efficiency, "", FitRange{0.1, 1.0, 1.4}, "x");
      v("feeding", &Coefficients::feeding, "", FitRange{0.3, 8, 60}, "x");
      v("droop", &Coefficients::droop, "", FitRange{0.005, 0.06, 0.4}, "x");
      v("memory_efficiency", &Coefficients::memory_efficiency, "", FitRange{0.3, 0.84, 1}, "x");
      v("cache_to_unit", &Coefficients::cache_to_unit, "", FitRange{20, 90, 400}, "x");
      v("cache_share", &Coefficients::cache_share, "", FitRange{0.2, 0.7, 1.5}, "x");
      v("cache_edge", &Coefficients::cache_edge, "", FitRange{1, 5, 12}, "x");
      v("cache_rate", &Coefficients::cache_rate, "", FitRange{3, 16, 100}, "x");
      v("overlap", &Coefficients::overlap, "", FitRange{1, 3, 12}, "x");
      v("wave_rounding", &Coefficients::wave_rounding, "", FitRange{0.02, 0.4, 1}, "x");
      v("epilogue", &Coefficients::epilogue, "us", FitRange{0.02, 1.0, 6}, "x");
      v("step_floor", &Coefficients::step_floor, "us", FitRange{0.005, 0.05, 0.6}, "x");
      v("reduction", &Coefficients::reduction, "us", FitRange{0.2, 2.5, 30}, "x");
      v("quantise_launch", &Coefficients::quantise_launch, "us", FitRange{0.05, 3, 50}, "x");
      v("quantise_traffic", &Coefficients::quantise_traffic, "", FitRange{0.1, 1.5, 10}, "x");
    }
  };

  struct Features {
    double m = 0, n = 0, k = 0, batch = 0;
    double input_bytes = 0, weight_bytes = 0;              // of one number
    double traffic = 0, weights = 0, others = 0;           // bytes
    double copies = 0;                                     // 0: cold
    double quantising = 0;
    double decades = 0;                                    // of work above 1e10
    double unit_peak = 0;                                  // flops a us of one unit
    double units = 0, clock = 0, bandwidth = 0, cache = 0; // DeviceRates
    double step = 64;
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

}  // namespace roofcast
