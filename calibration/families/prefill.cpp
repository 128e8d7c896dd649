// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

std::vector<KernelChoice> Kernels(const MeasuredRow& first, const Device& device) {
  const auto is = [&](std::string_view word) {
    return first.kernel.find(word) != std::string::npos;
  };
  std::int64_t packs = 0;
  std::vector<std::int64_t> window_walks = {0};
  bool cache_math = false;
  bool plans = false;
  if (first.kernel == "triton") {
    window_walks = {1};
  } else if (is("fa3") || is("fa4")) {
    packs = 1;
    cache_math = first.framework == "vllm" && first.format != "bf16";
  } else if (device.architecture != "blackwell" &&
             (is("flashinfer_fi") || first.kernel == "flashinfer")) {
    packs = 1;
    plans = true;
    if (first.framework == "sglang") window_walks = {1};
  } else if (first.kernel == "flash_attention") {
    packs = 1;
  } else if (is("flash_attn")) {
    packs = 2;
  } else if (is("torch_flow") || is("trtllm")) {
    packs = is("vllm") ? 2 : 0;
    cache_math = first.format != "bf16" && device.architecture != "ada";
  }
  std::vector<KernelChoice> choices;
  for (const std::int64_t rows : {64, 128}) {
    for (const std::int64_t keys : {32, 64, 128}) {
      choices.push_back({{"tile_rows", rows},
                         {"tile_keys", keys},
                         {"packs", packs},
                         {"plans", plans},
                         {"rotates", first.framework == "trtllm"},
                         {"walks_masked", window_walks.front()},
                         {"cache_math", cache_math}});
    }
  }
  return choices;
}

// Kernels that engines fall back on for a few shapes have too few rows of each format and
// framework. Those that run at one head size or for single queries alone are left with the usual
// kernel, whose coefficients of just that they set.
SeriesPlace Place(const MeasuredRow& row) {
  if (row.kernel == "triton") return {"", row.framework, row.kernel, row.format};
  if (row.kernel == "flashinfer") return {"", row.framework, row.kernel, row.format};
  return {row.format, row.framework, "", ""};
}

}  // namespace

FamilyPlan PrefillPlan() {
  FamilyPlan plan;
  plan.family = "prefill";
  plan.form = "flash_prefill";
  plan.kernels = Kernels;
  plan.place = Place;
  plan.framework_fields = {"intercept", "compute_efficiency", "masked_tile"};
  plan.starts = 1;
  plan.prior_weight = 0.05;
  return plan;
}

}  // namespace roofcast
