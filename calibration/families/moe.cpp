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

std::vector<KernelChoice> Choices(const MeasuredRow& first, const Device& /*device*/) {
  const std::string kind = KernelClass(first);
  std::vector<KernelChoice> rules;
  if (kind == "marlin") {
    rules = {{{"tile_rule", GroupedGemmMoe::kMarlin}}};
  } else if (kind == "triton") {
    rules = {{{"tile_rule", GroupedGemmMoe::kTriton}},
             {{"tile_rule", GroupedGemmMoe::kStepped}},
             {{"least_tile", 16}, {"most_tile", 128}}};
  } else if (kind == "trtllm_gen") {
    for (const int most : {64, 128, 256}) {
      for (const int rank : {0, 1}) {
        rules.push_back({{"tile_rule", GroupedGemmMoe::kAverage},
                         {"least_tile", 8},
                         {"most_tile", most},
                         {"per_rank", rank}});
      }
    }
    rules.push_back({{"least_tile", 8}, {"most_tile", 128}});
  } else {
    rules = {{{"least_tile", 16}, {"most_tile", 128}},
             {{"least_tile", 16}, {"most_tile", 256}},
             {{"least_tile", 64}, {"most_tile", 128}}};
  }
  std::vector<KernelChoice> choices;
  for (const KernelChoice& rule : rules) {
    for (const int own : {0, 1}) {
      for (const int empty : {0, 1}) {
        if (empty == 1 && kind != "triton") continue;
        KernelChoice choice = rule;
        choice["own_tokens"] = own;
        choice["empty_blocks"] = empty;
        choices.push_back(choice);
      }
    }
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
  return plan;
}

}  // namespace roofcast
