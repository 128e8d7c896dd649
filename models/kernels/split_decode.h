// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hardware/device.h"
#include "models/kernels/attention.h"
#include "models/kernels/form.h"
#include "models/kernels/kv_splits.h"

namespace roofcast {

struct SplitDecode {
  static constexpr std::string_view kName = "split_decode";
  using Shape = Attention;

  struct Kernel {
    std::int64_t split_rule = 1;
    std::int64_t step = 128;
    std::int64_t per_unit = 1;
    std::int64_t resident = 0;
    std::int64_t whole_resident = 0;
    std::int64_t head_resident = 0;
    std::int64_t row_tile = 16;
    std::int64_t rows_most = 128;
    std::int64_t row_growth = 2;
    bool flat_rows = false;
    bool merges_rows = false;
    std::int64_t head_split_rule = 1;
    std::int64_t head_per_unit = 2;
    std::int64_t head_step = 128;
    std::int64_t head_up_to = 1;
    std::int64_t head_above = 0;
    bool head_unless_filled = false;
    bool head_in_window = false;
    bool head_is_shared = false;
    bool swaps = false;
    bool rounds = false;

    template <class V>
    static constexpr void Fields(V& v) {
      v("split_rule", &Kernel::split_rule, "");
      v("step", &Kernel::step, "");
      v("per_unit", &Kernel::per_unit, "");
      v("row_tile", &Kernel::row_tile, "");
      v("resident", &Kernel::resident, "");
      v("whole_resident", &Kernel::whole_resident, "");
      v("head_resident", &Kernel::head_resident, "");
      v("row_growth", &Kernel::row_growth, "");
      v("merges_rows", &Kernel::merges_rows, "");
      v("flat_rows", &Kernel::flat_rows, "");
      v("rows_most", &Kernel::rows_most, "");
      v("head_split_rule", &Kernel::head_split_rule, "");
      v("head_per_unit", &Kernel::head_per_unit, "");
      v("head_step", &Kernel::head_step, "");
      v("head_up_to", &Kernel::head_up_to, "");
      v("head_above", &Kernel::head_above, "");
      v("head_unless_filled", &Kernel::head_unless_filled, "");
      v("head_in_window", &Kernel::head_in_window, "");
      v("head_is_shared", &Kernel::head_is_shared, "");
      v("swaps", &Kernel::swaps, "");
      v("rounds", &Kernel::rounds, "");
    }
  };

  template <class T>
  struct Coefficients {
    T t0{}, tc{}, tcs{}, kq{}, mq{}, mt{}, kt{}, mk{}, tw{}, sw{}, ks{};
    T c0{}, cM{}, cs{}, r1{}, rd{}, mc{}, mr{}, f64{}, f192{}, f256{};
    T em{}, el2{}, phi{}, sharp{}, ec{}, fb{}, p{}, wave{};

    template <class V>
    static constexpr void Fields(V& v) {
      v("t0", &Coefficients::t0, "us", FitRange{0.5, 7, 200}, "");
      v("tc", &Coefficients::tc, "us", FitRange{0.05, 1.5, 20}, "");
      v("tcs", &Coefficients::tcs, "us", FitRange{0.0001, 0.02, 1}, "");
      v("kq", &Coefficients::kq, "ns", FitRange{0.005, 0.2, 20}, "");
      v("mq", &Coefficients::mq, "ns", FitRange{0.005, 0.1, 20}, "");
      v("mt", &Coefficients::mt, "us", FitRange{0.02, 0.3, 20}, "");
      v("kt", &Coefficients::kt, "us", FitRange{0.02, 0.3, 20}, "");
      v("mk", &Coefficients::mk, "us", FitRange{0.02, 0.3, 20}, "");
      v("tw", &Coefficients::tw, "us", FitRange{0.02, 0.3, 20}, "");
      v("sw", &Coefficients::sw, "us", FitRange{0.02, 2, 20}, "");
      v("ks", &Coefficients::ks, "ns", FitRange{0.005, 0.2, 20}, "");
      v("c0", &Coefficients::c0, "us", FitRange{0.1, 1.5, 20}, "");
      v("cM", &Coefficients::cM, "", FitRange{0.001, 0.1, 3}, "");
      v("cs", &Coefficients::cs, "", FitRange{0.005, 0.2, 5}, "");
      v("r1", &Coefficients::r1, "GB/s", FitRange{3, 100, 1000}, "");
      v("rd", &Coefficients::rd, "", FitRange{0.05, 0.4, 1.5}, "");
      v("mc", &Coefficients::mc, "", FitRange{0.1, 1, 10}, "");
      v("mr", &Coefficients::mr, "", FitRange{0.05, 1, 10}, "");
      v("f64", &Coefficients::f64, "", FitRange{0.3, 1, 3}, "");
      v("f192", &Coefficients::f192, "", FitRange{0.3, 1, 5}, "");
      v("f256", &Coefficients::f256, "", FitRange{0.3, 1, 5}, "");
      v("em", &Coefficients::em, "", FitRange{0.2, 0.85, 1}, "");
      v("el2", &Coefficients::el2, "", FitRange{0.5, 2.5, 12}, "");
      v("phi", &Coefficients::phi, "", FitRange{0.05, 0.7, 2}, "");
      v("sharp", &Coefficients::sharp, "", FitRange{1, 6, 40}, "");
      v("ec", &Coefficients::ec, "", FitRange{0.02, 0.4, 1}, "");
      v("fb", &Coefficients::fb, "TB/s", FitRange{0.5, 5, 40}, "");
      v("p", &Coefficients::p, "", FitRange{1, 2.2, 10}, "");
      v("wave", &Coefficients::wave, "", FitRange{0.01, 0.3, 1}, "");
    }
  };

  struct Features {
    bool per_head = false;
    double splits = 1;
    bool merged = false;
    double merge_rows = 1;
    double waves = 0;
    double full_waves = 0;
    double tokens = 0;       // keys that a CTA goes through
    double token_bytes = 0;  // of one key and value of one head
    double dim = 1;          // head dim over 128
    double padding = 0;
    double keys = 0;
    double memory = 0;      // us at the datasheet's bandwidth
    double footprint = 0;   // bytes over cache
    double compute = 0;     // us at the dense peak
    double replicated = 0;  // bytes
    double query_heads = 0;
    bool windowed = false;
    bool swapped = false;
    int width = 0;
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
