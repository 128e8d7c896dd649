// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/attention.h"
#include "models/kernels/form.h"
#include "models/kernels/kv_splits.h"

namespace roofcast {

// Attention of one query a sequence, with or without MLA's shared latents. Engines have two
// kernels: one CTA for each KV head, whose query heads share what it reads (rows of a matrix
// product), and one CTA for each query head. Kernel says which runs where. With C CTAs and s pieces
// of the cache (kv_splits.h), r of them resident on each of u units, T keys in a piece:
//   n    = C s / (u r), waves = max(1, (1 - a) n + a ceil(n))
//   cta  = waves ((c0 (1 + c_r padded rows + c_s if merged) + T bytes / (r1 (d/128)^0.35)) f_d
//   beta = (m + (1 - m) / e_c) / (e_m B), m = 1 / (1 + (phi Q / w)^k)     traffic w in a cache of Q
//   att  = (cta^p + (w beta)^p + (2 rows K (d_k + d_v) / (e P))^p + (reread / r_c)^p)^(1/p)
//   t    = t0 + att + (t_m + t_s s rows if merged) + t_h heads + (t_w + t_v heads if swapped)
// c0 and r1 have a factor each in the kernel of one query head, which rereads the cache for each of
// them and has a t_h of its own. FlashAttention 2 swaps queries and heads with a copy. Eager
// engines (no CUDA graph) take (t^6 + t_cpu^6)^(1/6).
//
// What the operator contains: measured rows write the new key and value (and rotate, in
// TensorRT-LLM) within the timed region. Their launch is in t0 and their work in t_h, which
// counts only for operators that say so (Attention::writes_cache, rotates).
//
// Sources: the engines' dispatch rules, see kv_splits.h; [dao2023flashattention2],
// [shah2024flashattention3]; the composition is fitted to measured latencies.
// Range: one query, 2 to 131,072 keys, head sizes of 64 to 512 and MLA's 576, batches to 2,048 are
// measured. Few queries a sequence (speculative decoding) are prefill's, nothing is measured.
struct SplitDecode {
  static constexpr std::string_view kName = "split_decode";
  using Shape = Attention;

  struct Kernel {
    std::int64_t split_rule = 1;
    std::int64_t step = 128;
    std::int64_t per_unit = 1;
    std::int64_t resident = 0;
    std::int64_t whole_resident = 0;
    std::int64_t row_tile = 16;
    std::int64_t row_growth = 2;
    std::int64_t rows_most = 128;
    bool flat_rows = false;
    bool merges_rows = false;
    bool counts_history = false;
    bool rounds = false;
    std::int64_t head_split_rule = 1;
    std::int64_t head_per_unit = 2;
    std::int64_t head_resident = 0;
    std::int64_t head_up_to = 0;
    std::int64_t head_above = 0;
    bool head_unless_filled = false;
    bool head_in_window = false;
    bool head_is_shared = false;
    bool swaps = false;
    bool cache_math = false;
    bool eager = false;

    template <class V>
    static constexpr void Fields(V& v) {
      v("split_rule", &Kernel::split_rule, "a SplitRule");
      v("step", &Kernel::step, "keys that the rule counts in");
      v("per_unit", &Kernel::per_unit, "CTAs a unit that the rule counts on");
      v("resident", &Kernel::resident, "CTAs that a unit holds; 0: as per_unit");
      v("whole_resident", &Kernel::whole_resident, "the same where nothing is merged; 0: no other");
      v("row_tile", &Kernel::row_tile, "least rows of the matrix products");
      v("row_growth", &Kernel::row_growth, "factor to the next size of them; 0: multiples");
      v("rows_most", &Kernel::rows_most, "query heads that one CTA takes");
      v("flat_rows", &Kernel::flat_rows, "more rows than the least cost alike");
      v("merges_rows", &Kernel::merges_rows, "one CTA merges the pieces, row by row");
      v("counts_history", &Kernel::counts_history, "keys before the window are split as well");
      v("rounds", &Kernel::rounds, "CTAs advance by whole steps");
      v("head_split_rule", &Kernel::head_split_rule, "a SplitRule, of one query head a CTA");
      v("head_per_unit", &Kernel::head_per_unit, "see per_unit");
      v("head_resident", &Kernel::head_resident, "see resident; -1: smaller CTAs where many");
      v("head_up_to", &Kernel::head_up_to, "query heads of a KV head that a CTA each takes");
      v("head_above", &Kernel::head_above, "and where there are more than so many; 0: never");
      v("head_unless_filled",
        &Kernel::head_unless_filled,
        "and where the other kernel would not fill a quarter of the units");
      v("head_in_window", &Kernel::head_in_window, "and in sliding windows");
      v("head_is_shared", &Kernel::head_is_shared, "that kernel too has a CTA for each KV head");
      v("swaps", &Kernel::swaps, "copies queries to swap them with heads");
      v("cache_math", &Kernel::cache_math, "products in the format of the cache");
      v("eager", &Kernel::eager, "measured without a CUDA graph");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{}, merge{}, merge_piece{}, head_time{}, head_path_time{}, swap{}, swap_head{};
    T block_time{}, padded_rows{}, piece_cost{}, stream_rate{}, head_path_block{};
    T head_path_stream{}, dim_192{}, dim_256{}, memory_efficiency{}, cache_speed{}, cache_share{};
    T cache_edge{}, compute_efficiency{}, reread_rate{}, overlap{}, wave_rounding{}, host_time{};

    template <class V>
    static constexpr void Fields(V& v) {
      using C = Coefficients;
      v("intercept", &C::intercept, "us", FitRange{0.5, 7, 200}, "t0: launches");
      v("merge", &C::merge, "us", FitRange{0.05, 1.5, 20}, "t_m: merging pieces");
      v("merge_piece", &C::merge_piece, "us", FitRange{1e-4, 0.02, 1}, "t_s: of each piece");
      v("head_time", &C::head_time, "ns", FitRange{0.005, 0.2, 20}, "t_h: cache write, rotation");
      v("head_path_time", &C::head_path_time, "ns", FitRange{0.005, 0.5, 20}, "one head a CTA");
      v("swap", &C::swap, "us", FitRange{0.02, 2, 20}, "t_w: copy of queries");
      v("swap_head", &C::swap_head, "ns", FitRange{0.005, 0.2, 20}, "t_v: of each head");
      v("block_time", &C::block_time, "us", FitRange{0.1, 1.5, 20}, "c0: start and end of a CTA");
      v("padded_rows", &C::padded_rows, "", FitRange{1e-3, 0.1, 3}, "c_r: for a tile more rows");
      v("piece_cost", &C::piece_cost, "", FitRange{5e-3, 0.2, 5}, "c_s: of c0, if merged");
      v("stream_rate", &C::stream_rate, "GB/s", FitRange{3, 100, 1000}, "r1: cache a CTA reads");
      v("head_path_block", &C::head_path_block, "", FitRange{0.1, 1, 10}, "c0, one head a CTA");
      v("head_path_stream", &C::head_path_stream, "", FitRange{0.05, 1, 10}, "r1, one head a CTA");
      v("dim_192", &C::dim_192, "", FitRange{0.3, 1, 5}, "f_d of head sizes 129 to 192");
      v("dim_256", &C::dim_256, "", FitRange{0.3, 1, 5}, "f_d of head sizes above");
      v("memory_efficiency",
        &C::memory_efficiency,
        "",
        FitRange{0.2, 0.85, 1},
        "e_m: reachable share of the memory bandwidth");
      v("cache_speed", &C::cache_speed, "", FitRange{0.5, 2.5, 12}, "e_c: cache over memory");
      v("cache_share", &C::cache_share, "", FitRange{0.05, 0.7, 2}, "phi: traffic that stays");
      v("cache_edge", &C::cache_edge, "", FitRange{1, 6, 40}, "k: how sharply it stops to");
      v("compute_efficiency",
        &C::compute_efficiency,
        "",
        FitRange{0.02, 0.4, 1},
        "e: reachable share of the dense peak");
      v("reread_rate", &C::reread_rate, "TB/s", FitRange{0.5, 5, 40}, "r_c: of the cache again");
      v("overlap", &C::overlap, "", FitRange{1, 2.2, 10}, "p: 1 adds limits, large takes one");
      v("wave_rounding", &C::wave_rounding, "", FitRange{0.01, 0.3, 1}, "a: of the last wave");
      v("host_time", &C::host_time, "us", FitRange{5, 150, 1000}, "t_cpu of eager engines");
    }
  };

  struct Features {
    bool per_head = false;
    bool merged = false;
    bool swapped = false;
    bool eager = false;
    double pieces = 1;
    double merge_rows = 1;
    double waves = 0;
    double full_waves = 0;
    double block_bytes = 0;  // of the cache that a CTA goes through
    double dim = 1;          // head size over 128
    double padding = 0;
    int width = 0;          // which f_d: 0 none
    double memory = 0;      // us at the datasheet's bandwidth
    double footprint = 0;   // bytes over cache
    double compute = 0;     // us at the dense peak
    double reread = 0;      // bytes
    double heads = 0;       // query heads of all sequences
    double side_heads = 0;  // those whose cache write or rotation the operator contains
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
