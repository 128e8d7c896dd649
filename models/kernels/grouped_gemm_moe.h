// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/form.h"
#include "models/kernels/moe.h"

namespace roofcast {

// The fused experts of a layer as two grouped matrix products over tiles of b rows and `columns`
// columns, with what surrounds them:
//   t    = t0 + G(N = gates I, K = H) + G(N = H, K = I)
//          + (c_p [4 T H + A (4 H + 2 (gates + 1) I)]
//             + c_f T k [2 (2 gates + 1) I + 4 H]) beta' / 2
//          + c_s T k + c_a active + c_e local experts + c_z empty/SM
//   G    = min over the tiles b of ||work, memory, depth||_p
//   work = ||n per/SM, per||_q,    n = ceil(N/columns) sum ceil(n_e/b)
//   per  = 2 b columns K SM / (e_c (b/128)^e_b P) + c_0,    depth = c_0 + c_k K/1000
//   memory = N K b_w [active + c_r (sum ceil(n_e/b) - active)] beta / min(1, n/(f SM))
//            + A (K b_x + N b_out) c_io beta'
//   beta = (m + (1 - m)/c_l) / (e_m B),    m = 1/(1 + (share C / bytes of active weights)^8)
// with T tokens, k experts a token, A rows of this rank, I = inter/tp, gates 2 or 1, C and B the
// cache and bandwidth of the device, P its dense peak; m = 1 for weights that aren't warm; beta' is
// beta with the bytes of the rows, which were just written, in place of the weights'. Some
// engines take the fastest tile, others pick one by rule. A last wave and a lone tile's depth
// matter for few rows, the cost of padded tiles between, the rate of a dense product for many.
// Source: rules [vllm-fused-moe] (Triton's and Marlin's) and [flashinfer-moe] (the average load of
// the rank's experts); which terms pay was settled by cross-validation. Range: as
// CostOf(FusedMoe). Backward is two passes of forward [korthikanti2022] and was not measured.
struct GroupedGemmMoe {
  static constexpr std::string_view kName = "grouped_gemm_moe";
  using Shape = FusedMoe;

  enum TileRule : std::int64_t {
    kTuned,    // the fastest of least_tile .. most_tile
    kTriton,   // 16 rows while tokens <= experts of the rank, else 64
    kMarlin,   // the first of 8, 16, 32, 48, 64 with tokens k / the rank's experts < 0.9 b
    kAverage,  // the power of two above tokens k / the rank's experts, within these bounds
    kStepped,  // 16, 32, 64, 128 rows up to 32, 96, 512 tokens and above: Triton's newer default
  };

  struct Kernel {
    std::int64_t tile_rule = kTuned;
    std::int64_t least_tile = 16;
    std::int64_t most_tile = 128;
    std::int64_t columns = 128;
    std::int64_t tuned_experts = 0;  // layers of so many experts and fewer come with tuned tiles
    bool empty_blocks = false;       // blocks are issued for the experts of other ranks too
    bool own_tokens = false;         // only tokens that chose an expert of this rank come here

    template <class V>
    static constexpr void Fields(V& v) {
      v("tile_rule",
        &Kernel::tile_rule,
        "who picks the rows of a tile: 0 a tuner, 1 Triton's default, 2 Marlin, 3 the average "
        "load, 4 Triton's newer default");
      v("least_tile", &Kernel::least_tile, "rows of the smallest tile");
      v("most_tile", &Kernel::most_tile, "rows of the largest tile");
      v("columns", &Kernel::columns, "columns of a tile");
      v("tuned_experts",
        &Kernel::tuned_experts,
        "layers of so many experts and fewer come with tuned tiles");
      v("empty_blocks", &Kernel::empty_blocks, "blocks are issued for experts of other ranks");
      v("own_tokens", &Kernel::own_tokens, "only tokens of this rank's experts come here");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T compute_efficiency{};
    T tile_exponent{};
    T tile_cost{};
    T depth_cost{};
    T memory_efficiency{};
    T cache_gain{};
    T cache_share{};
    T busy_share{};
    T refetch{};
    T overlap{};
    T waves{};
    T row_traffic{};
    T order_traffic{};
    T slot_traffic{};
    T slot_cost{};
    T active_cost{};
    T expert_cost{};
    T empty_cost{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("intercept", &Coefficients::intercept, "us", FitRange{1, 12, 300}, "launches of any size");
      v("compute_efficiency",
        &Coefficients::compute_efficiency,
        "",
        FitRange{0.02, 0.7, 1.5},
        "share of the dense peak that a tile of 128 rows reaches");
      v("tile_exponent",
        &Coefficients::tile_exponent,
        "",
        FitRange{0.01, 0.2, 1.5},
        "how the share falls for smaller tiles");
      v("tile_cost",
        &Coefficients::tile_cost,
        "us",
        FitRange{0.05, 1, 30},
        "of a tile, whatever its depth");
      v("depth_cost",
        &Coefficients::depth_cost,
        "us",
        FitRange{0.05, 1, 30},
        "of 1000 numbers of a tile's depth, alone on the device");
      v("memory_efficiency",
        &Coefficients::memory_efficiency,
        "",
        FitRange{0.05, 0.85, 1.1},
        "reachable share of the memory bandwidth");
      v("cache_gain",
        &Coefficients::cache_gain,
        "",
        FitRange{1, 2.5, 10},
        "bandwidth of the last level cache over that of memory");
      v("cache_share",
        &Coefficients::cache_share,
        "",
        FitRange{0.05, 0.7, 2},
        "of the cache that weights can fill");
      v("busy_share",
        &Coefficients::busy_share,
        "",
        FitRange{0.01, 0.3, 2},
        "of the units that must be busy for full bandwidth");
      v("refetch",
        &Coefficients::refetch,
        "",
        FitRange{0.003, 0.1, 1.5},
        "cost of a weight read again for the next tile of its expert, over that of the first time");
      v("overlap",
        &Coefficients::overlap,
        "",
        FitRange{1, 2.5, 10},
        "p: 1 adds computing and memory traffic, large takes the slower one");
      v("waves",
        &Coefficients::waves,
        "",
        FitRange{1, 2, 10},
        "q: 1 adds a last wave, large waits for the longer of work and one tile");
      v("row_traffic",
        &Coefficients::row_traffic,
        "",
        FitRange{0.02, 0.5, 8},
        "times that rows of the products cross the memory bus");
      v("order_traffic",
        &Coefficients::order_traffic,
        "",
        FitRange{0.01, 0.5, 8},
        "times that the rank's rows do, into order and back");
      v("slot_traffic",
        &Coefficients::slot_traffic,
        "",
        FitRange{0.005, 0.2, 8},
        "times that the rows of all ranks do");
      v("slot_cost",
        &Coefficients::slot_cost,
        "us",
        FitRange{1e-6, 1e-4, 0.1},
        "of a token's choice of an expert");
      v("active_cost",
        &Coefficients::active_cost,
        "us",
        FitRange{1e-4, 0.03, 3},
        "of an expert with rows");
      v("expert_cost",
        &Coefficients::expert_cost,
        "us",
        FitRange{1e-4, 0.01, 3},
        "of an expert of the rank");
      v("empty_cost",
        &Coefficients::empty_cost,
        "us",
        FitRange{1e-3, 0.3, 10},
        "of a block for an expert of another rank");
    }
  };

  // One of the two grouped products.
  struct Product {
    double weights = 0;   // bytes of the active experts
    double rows = 0;      // bytes in and out
    double depth = 0;     // thousands of numbers
    double columns = 0;   // tiles along the columns
    double row_work = 0;  // us of one row of one tile at the peak of one unit
  };
  struct Features {
    std::array<Product, 2> products{};
    std::array<double, kTileRows.size()> tiles{};  // those that the rule doesn't allow are 0
    double passes = 1;
    double units = 1;
    double bandwidth = 1;
    double cache_over_weights = 0;
    double cache_over_rows = 0;
    double order = 0;  // bytes
    double slot_bytes = 0;
    double slots = 0;
    double active = 0;
    double experts = 0;
    double empty = 0;
  };

  static Features Prepare(const FusedMoe& op, const Device& device, const Kernel& kernel);
  template <class T>
  static FormCost<T> TimeOf(const Features& f, const Coefficients<T>& c);
  static SizeList SizesOf(const FusedMoe& op);
  static std::string_view RegimeOf(const FusedMoe& op);
  static std::string_view FamilyOf(const FusedMoe& op);
  static std::string FormatOf(const FusedMoe& op);
};

}  // namespace roofcast
