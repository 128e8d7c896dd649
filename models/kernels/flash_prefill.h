// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/attention.h"
#include "models/kernels/form.h"

namespace roofcast {

// Flash attention of many queries: CTAs of R queries that walk over K keys at a time. With C of
// them, T key tiles in all and L in the longest (attention_tiles.h), exactly,
//   tile = ((2 R K (d_k + d_v) / (e_c P/u))^3 + (x R K / (16 f))^3)^(1/3)   products against exp
//   cta  = (c0 + c1 d R / 128^2) (1 + c_w if windowed)             prologue, epilogue, masked tiles
//   comp = (((C cta + T tile) / u)^p + (l (cta + L tile))^p)^(1/p)   all units against the longest
//   beta = (m + (1 - m) / r) / (e_m B), m = 1 / (1 + (phi Q / w)^k)      traffic w in a cache of Q
//   side = (a_w (fresh + written) + a_q qo) beta + N (b + b_w min(1, n_kv / 512)) + b_h N heads
//   t    = t0 + (comp^3 + ((qo + kv) beta)^3)^(1/3) + side
// with u units of clock f, dense peak P and bandwidth B. side is what engines launch before N new
// tokens: writing keys and values of n_kv numbers each, by one block of at most 512 threads a token
// [vllm-cache-kernels], and rotating or quantising queries; it counts as far as the operator
// contains it. A kernel that walks through what a window hides takes a share of T for it.
// Launches that the host makes one by one take at least its time h, (h^6 + t^6)^(1/6).
// FlashInfer takes R by the packed queries and splits the keys of few CTAs by its own plan,
// exactly: more CTAs, a shorter longest, and partial outputs to merge [flashinfer-scheduler].
// Sources: [dao2023flashattention2], [shah2024flashattention3]; 16 exponentials a cycle and SM:
// [cuda-programming-guide]; the composition and its ablations are fitted to measured latencies.
// Range: sizes >= 1, keys >= queries; head sizes of 64 to 512, 1 to 16 k tokens are measured.
struct FlashPrefill {
  static constexpr std::string_view kName = "flash_prefill";
  using Shape = Attention;

  struct Kernel {
    std::int64_t tile_rows = 64;
    std::int64_t tile_keys = 64;
    // Query heads of one KV head in a tile: 0 never, 1 always, 2 for single queries.
    std::int64_t packs = 0;
    bool plans = false;         // FlashInfer's plan: tile_rows by the queries, keys split
    bool walks_masked = false;  // through the keys that a window hides
    bool cache_math = false;    // products in the format of the cache: queries are quantised
    bool rotates = false;       // query_passes are a rotation, which an operator may lack
    bool eager = false;         // measured with the host's launches, not from a graph
    bool absorbs = false;       // MLA on latents, all heads packed, instead of expanded keys

    template <class V>
    static constexpr void Fields(V& v) {
      v("tile_rows", &Kernel::tile_rows, "queries of a thread block");
      v("tile_keys", &Kernel::tile_keys, "keys it loads at a time");
      v("packs", &Kernel::packs, "heads of a group in one tile: 0 never, 1 always, 2 one query");
      v("plans", &Kernel::plans, "FlashInfer's choice of tile_rows and split of keys");
      v("walks_masked", &Kernel::walks_masked, "visits the keys that a window hides");
      v("cache_math", &Kernel::cache_math, "multiplies in the cache's format");
      v("rotates", &Kernel::rotates, "query_passes are the rotation that an operator may lack");
      v("eager", &Kernel::eager, "measured with the host's launches");
      v("absorbs", &Kernel::absorbs, "MLA without expanding keys and values");
    }
  };

  template <class T>
  struct Coefficients {
    T intercept{};
    T cta{};
    T cta_size{};
    T window_cta{};
    T compute_efficiency{};
    T exponential{};
    T balance{};
    T tail{};
    T memory_efficiency{};
    T cache_speed{};
    T cache_share{};
    T cache_edge{};
    T cache_write{};
    T query_passes{};
    T token{};
    T token_block{};
    T token_head{};
    T single{};
    T single_swap{};
    T odd_head{};
    T window_launch{};
    T head_64{};
    T head_72{};
    T head_80{};
    T head_192{};
    T head_256{};
    T head_512{};
    T masked_tile{};
    T cta_64{};
    T merge{};
    T merge_passes{};
    T host{};

    template <class V>
    static constexpr void Fields(V& v) {
      using C = Coefficients;
      v("intercept", &C::intercept, "us", FitRange{0.5, 8, 300}, "t0: launches of any size");
      v("cta", &C::cta, "us", FitRange{0.01, 1, 30}, "c0: start and end of a block");
      v("cta_size",
        &C::cta_size,
        "us",
        FitRange{0.01, 1, 30},
        "c1: the same for 128 x 128 queries");
      v("window_cta", &C::window_cta, "", FitRange{0.001, 0.2, 10}, "c_w: masks of a window");
      v("compute_efficiency",
        &C::compute_efficiency,
        "",
        FitRange{0.02, 0.6, 1},
        "e_c: reachable share of the dense peak");
      v("exponential", &C::exponential, "", FitRange{0.2, 1.3, 6}, "x: cost of an exp, in exps");
      v("balance", &C::balance, "", FitRange{1, 1.7, 20}, "p: 1 waits for the longest at the end");
      v("tail", &C::tail, "", FitRange{0.4, 1, 2}, "l: pace of the longest block");
      v("memory_efficiency",
        &C::memory_efficiency,
        "",
        FitRange{0.1, 0.85, 1},
        "e_m: reachable share of the memory bandwidth");
      v("cache_speed",
        &C::cache_speed,
        "",
        FitRange{1, 2.5, 15},
        "r: speed of the last cache over that of memory");
      v("cache_share", &C::cache_share, "", FitRange{0.1, 0.8, 3}, "phi: part of it that helps");
      v("cache_edge", &C::cache_edge, "", FitRange{2, 8, 40}, "k: how sharply it ends");
      v("cache_write", &C::cache_write, "", FitRange{0.05, 1, 20}, "passes to write the cache");
      v("query_passes",
        &C::query_passes,
        "",
        FitRange{0.001, 0.5, 20},
        "passes over queries to rotate or quantise them");
      v("token", &C::token, "us", FitRange{1e-6, 2e-4, 0.1}, "side kernels, a token");
      v("token_block",
        &C::token_block,
        "us",
        FitRange{1e-6, 1e-3, 0.1},
        "a full block a token that writes the cache");
      v("token_head", &C::token_head, "us", FitRange{1e-7, 5e-5, 0.01}, "and a head of it");
      v("single", &C::single, "", FitRange{0.3, 1, 3}, "t0 of single queries over that of more");
      v("single_swap",
        &C::single_swap,
        "us",
        FitRange{0.01, 0.5, 30},
        "heads swapped into the place of queries for a single one");
      v("odd_head", &C::odd_head, "us", FitRange{0.01, 1.5, 50}, "padding of 192 wide heads");
      v("window_launch", &C::window_launch, "us", FitRange{0.01, 1.5, 50}, "launches for a window");
      v("head_64", &C::head_64, "", FitRange{0.3, 1, 2}, "e_c of heads of 64 over that of 128");
      v("head_72", &C::head_72, "", FitRange{0.05, 0.8, 2}, "the same of 72");
      v("head_80", &C::head_80, "", FitRange{0.05, 0.8, 2}, "of 80");
      v("head_192", &C::head_192, "", FitRange{0.3, 1, 2}, "of 192");
      v("head_256", &C::head_256, "", FitRange{0.3, 1, 2}, "of 256");
      v("head_512", &C::head_512, "", FitRange{0.05, 1, 2}, "of 512");
      v("masked_tile",
        &C::masked_tile,
        "",
        FitRange{0.01, 0.7, 1.5},
        "time of a key tile that a window hides over that of another");
      v("cta_64", &C::cta_64, "", FitRange{0.2, 1, 10}, "cta of heads of 64 over that of 128");
      v("merge", &C::merge, "us", FitRange{0.05, 2, 30}, "launch that merges split keys");
      v("merge_passes", &C::merge_passes, "", FitRange{0.05, 1, 20}, "passes over partial outputs");
      v("host",
        &C::host,
        "us",
        FitRange{5, 120, 2000},
        "the host's time to launch, if it is in the figure");
    }
  };

  enum class Head : std::uint8_t { kUsual, k64, k72, k80, k192, k256, k512 };

  struct Features {
    double units = 1;
    double clock_exp = 1;  // exponentials a microsecond and unit
    double ctas = 0;
    double key_tiles = 0;
    double longest = 0;
    double cta_size = 1;
    double mma = 0;  // us of a key tile's products on one unit at the peak
    double exp = 0;  // us of its exponentials
    double io = 0;   // bytes of queries and outputs
    double cached = 0;
    double fresh = 0;  // bytes of new keys and values
    double written = 0;
    double side_queries = 0;
    double tokens = 0;
    double write_block = 0;
    double token_heads = 0;
    double footprint = 0;
    double cache = 0;
    double bandwidth = 1;
    double masked_tiles = 0;  // of those above, hidden by a window
    double masked_longest = 0;
    double merged = 0;  // bytes of partial outputs
    bool eager = false;
    bool windowed = false;
    bool is_single = false;
    bool swaps = false;
    Head head = Head::kUsual;
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
