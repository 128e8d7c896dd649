// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"
#include "models/kernels/grouped_gemm_moe.h"

namespace roofcast {
namespace {

bool Has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Tables name kernels by the path that a framework took to them; here by what was run.
std::string KernelClass(const MeasuredRow& row) {
  if (Has(row.kernel, "marlin")) return "marlin";
  if (Has(row.kernel, "flashinfer_trtllm")) return "trtllm_gen";
  if (Has(row.kernel, "triton") || Has(row.kernel, "vllm_fused_moe")) return "triton";
  if (Has(row.kernel, "cutlass") || Has(row.kernel, "nongated")) return "cutlass";
  // TensorRT-LLM's table doesn't say: its generated kernels multiply mxfp4 by 8 bits, Triton's
  // by 16.
  if (row.format == "w4a8 mxfp4") return "trtllm_gen";
  return row.format == "w4a16 mxfp4" ? "triton" : "cutlass";
}

using Form = GroupedGemmMoe;

// What engines are known to do, and where their sources leave it open, each way.
std::vector<KernelChoice> Choices(const MeasuredRow& first, const Device& /*device*/) {
  const std::string kind = KernelClass(first);
  if (kind == "marlin") {
    return {{{"tile_rule", Form::kMarlin}}, {{"tile_rule", Form::kMarlin}, {"own_tokens", 1}}};
  }
  std::vector<KernelChoice> choices;
  if (kind == "trtllm_gen") {
    for (const int most : {64, 128, 256}) {
      choices.push_back({{"tile_rule", Form::kAverage}, {"least_tile", 8}, {"most_tile", most}});
    }
    return choices;
  }
  if (kind == "cutlass") {
    return {{{"least_tile", 16}, {"most_tile", 128}},
            {{"least_tile", 16}, {"most_tile", 256}},
            {{"least_tile", 64}, {"most_tile", 128}}};
  }
  // Triton's tables of tuned tiles [vllm-fused-moe] hold the layers of a few experts above all.
  constexpr int kTunedExperts = 64;
  for (const int empty : {0, 1}) {
    choices.push_back({{"tile_rule", Form::kTuned}, {"empty_blocks", empty}});
    for (const std::int64_t rule : {Form::kTriton, Form::kStepped}) {
      choices.push_back(
          {{"tile_rule", rule}, {"empty_blocks", empty}, {"tuned_experts", kTunedExperts}});
    }
    choices.push_back({{"tile_rule", Form::kTriton}, {"empty_blocks", empty}});
  }
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
  // CUTLASS' and TensorRT-LLM's generated kernels both tile by what a tuner or the load asks for.
  plan.kin = [](const MeasuredRow& row) {
    const std::string kind = KernelClass(row);
    return kind == "trtllm_gen" ? std::string("cutlass") : kind;
  };
  plan.kernels = Choices;
  plan.robust_width = 0.08;
  plan.starts = 2;
  return plan;
}

}  // namespace roofcast
