// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/choices.h"
#include "calibration/families/families.h"

namespace roofcast {
namespace {

// XQA, which shares a KV head among its query heads, and the older kernel of one query head a CTA.
// The first needs 2 to 32 query heads a KV head and, with a 16-bit cache, enough CTAs.
void TryXqa(Choices& choices, bool fp8_cache, const Device& device) {
  const bool splits = !fp8_cache || device.architecture == "hopper";
  choices.Set("split_rule", splits ? SplitRule::kXqa : SplitRule::kNone)
      .Try("resident", {1, 2})
      .Set("row_tile", 8)
      .Set("rows_most", 32)
      .Set("row_growth", fp8_cache ? 0 : 2)
      .Set("merges_rows", fp8_cache ? 1 : 0)
      .Set("counts_history", fp8_cache ? 0 : 1)
      .Set("rounds", device.architecture == "hopper" ? 0 : 1)
      .Set("head_up_to", 1)
      .Set("head_above", 32)
      .Set("head_unless_filled", fp8_cache ? 0 : 1)
      .Try("head_per_unit", {1, 2, 4})
      .Try("head_resident", {-1, 2});
}

// TensorRT-LLM's kernels for Blackwell, which other engines call too. Its own dispatch has the
// kernel of one query head where more than 32 share a KV head.
void TryTrtllmGen(Choices& choices, bool own_dispatch) {
  choices.Set("split_rule", SplitRule::kFill)
      .Try("step", {128, 256, 512})
      .Try("row_tile", {8, 16})
      .Set("head_up_to", 1)
      .Set("head_above", own_dispatch ? 32 : 0)
      .Try("merges_rows", {0, 1})
      .Try("rounds", {0, 1});
}

void TryFlashAttention3(Choices& choices, bool ampere) {
  choices.Set("split_rule", SplitRule::kBalanced)
      .Set("row_tile", 64)
      .Try("rows_most", {64, 128})
      .Set("step", ampere ? 96 : 128)
      .Try("whole_resident", {1, 2})
      .Try("rounds", {0, 1});
}

// It splits only where it swaps queries and heads: with several query heads a KV head.
void TryFlashAttention2(Choices& choices) {
  choices.Set("split_rule", SplitRule::kEfficient)
      .Set("per_unit", 2)
      .Set("row_tile", 64)
      .Set("head_split_rule", SplitRule::kNone)
      .Set("head_up_to", 1)
      .Try("head_in_window", {0, 1})
      .Set("swaps", 1)
      .Try("rounds", {0, 1});
}

// Up to three query heads a KV head, without matrix products if the cache is of 16 bits.
void TryFlashInfer(Choices& choices, bool fp8_cache) {
  choices.Set("split_rule", SplitRule::kChunk)
      .Try("per_unit", {1, 2})
      .Set("row_growth", 4)
      .Try("flat_rows", {0, 1})
      .Set("head_split_rule", SplitRule::kChunk)
      .Try("head_per_unit", {2, 4})
      .Set("head_up_to", fp8_cache ? 0 : 3)
      .Set("head_is_shared", 1)
      .Try("rounds", {0, 1});
}

void TryTriton(Choices& choices) {
  choices.Set("split_rule", SplitRule::kLogarithmic)
      .Try("per_unit", {1, 2})
      .Set("head_up_to", 1)
      .Set("head_split_rule", SplitRule::kLogarithmic);
}

std::vector<KernelChoice> Kernels(const MeasuredRow& first, const Device& device) {
  const auto is = [&](std::string_view word) {
    return first.kernel.find(word) != std::string::npos;
  };
  const bool fp8_cache = first.format != "bf16";
  const bool own = first.kernel == "torch_flow";
  Choices choices;
  if (own && device.architecture != "blackwell") {
    TryXqa(choices, fp8_cache, device);
  } else if (own || is("trtllm")) {
    TryTrtllmGen(choices, own);
  } else if (is("fa3") || is("fa4") || first.kernel == "flash_attention") {
    TryFlashAttention3(choices, device.architecture == "ampere");
  } else if (is("flash_attn")) {
    TryFlashAttention2(choices);
  } else if (is("flashinfer")) {
    TryFlashInfer(choices, fp8_cache);
  } else {
    TryTriton(choices);
  }
  return choices.Take();
}

// Kernels that engines fall back on for a few head sizes have too few rows of each format and
// framework: those share coefficients but for the plan's framework_fields.
SeriesPlace Place(const MeasuredRow& row) {
  if (row.kernel.find("triton") != std::string::npos) {
    return {"", "", "triton", row.framework + " " + row.format};
  }
  if (row.kernel == "torch_flow_flashinfer") return {"", row.framework, row.kernel, row.format};
  const bool is_fa4 = row.kernel.find("fa4") != std::string::npos;  // one head size of Hopper
  return {row.format, row.framework, is_fa4 ? "vllm_flash_attn_fa3" : row.kernel, ""};
}

}  // namespace

FamilyPlan DecodePlan() {
  FamilyPlan plan;
  plan.family = "decode";
  plan.form = "split_decode";
  plan.kernels = Kernels;
  plan.place = Place;
  plan.framework_fields = {"intercept", "block_time", "stream_rate"};
  plan.starts = 2;
  return plan;
}

}  // namespace roofcast
