// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"
#include "models/kernels/grouped_gemm_moe.h"

namespace roofcast {
namespace {

bool Has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string KernelClass(const MeasuredRow& row) {
  if (Has(row.kernel, "marlin")) return "marlin";
  if (Has(row.kernel, "flashinfer_trtllm")) return "trtllm_gen";
  if (Has(row.kernel, "triton")) return "triton";
  if (Has(row.kernel, "cutlass") || Has(row.kernel, "nongated")) return "cutlass";
  // TensorRT-LLM's table doesn't say: its generated kernels multiply mxfp4 by 8 bits, Triton's by 16.
  if (row.format == "w4a8 mxfp4") return "trtllm_gen";
  return row.format == "w4a16 mxfp4" ? "triton" : "cutlass";
}

std::vector<KernelChoice> Choices(const MeasuredRow& first, const Device& /*device*/) {
  const std::string kind = KernelClass(first);
  const bool local = first.framework == "sglang";
  std::vector<KernelChoice> choices;
  if (kind == "marlin") {
    for (int own : {0, 1}) for (int empty : {0, 1})
      choices.push_back({{"tile_rule", GroupedGemmMoe::kMarlin}, {"own_tokens", own}, {"empty_blocks", empty}});
  } else if (kind == "triton") {
    for (int empty : {0, 1}) for (int own : {0, 1}) {
    choices.push_back({{"tile_rule", GroupedGemmMoe::kTriton}, {"empty_blocks", empty}, {"own_tokens", own}});
    choices.push_back({{"least_tile", 16}, {"most_tile", 128}, {"empty_blocks", empty}, {"own_tokens", own}});
    }
  } else if (kind == "trtllm_gen") {
    for (int own : {0, 1}) {
    choices.push_back({{"least_tile", 8}, {"most_tile", 128}, {"own_tokens", own}});
    choices.push_back({{"tile_rule", GroupedGemmMoe::kAverage}, {"least_tile", 8}, {"most_tile", 128}, {"own_tokens", own}});
    choices.push_back({{"tile_rule", GroupedGemmMoe::kAverage}, {"least_tile", 8}, {"most_tile", 64}, {"own_tokens", own}});
    }
  } else {
    choices.push_back({{"least_tile", 16}, {"most_tile", 128}});
    choices.push_back({{"least_tile", 16}, {"most_tile", 256}});
    choices.push_back({{"least_tile", 16}, {"most_tile", 128}, {"own_tokens", 1}});
    choices.push_back({{"least_tile", 64}, {"most_tile", 128}});
  }
  static_cast<void>(local);
  return choices;
}

}  // namespace

FamilyPlan MoePlan() {
  FamilyPlan plan;
  plan.family = "moe";
  plan.form = "grouped_gemm_moe";
  plan.place = [](const MeasuredRow& row) {
    return SeriesPlace{row.format, row.framework, KernelClass(row), ""};
  };
  plan.kernels = Choices;
  plan.robust_width = 0.08;
  return plan;
}

}  // namespace roofcast
