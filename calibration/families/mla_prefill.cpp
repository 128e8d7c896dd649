// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

// Tiles of known kernels, expanded and absorbed; which of them an engine runs, the rows say.
std::vector<KernelChoice> Kernels(const MeasuredRow& first, const Device& device) {
  const bool may_absorb = first.framework != "trtllm";
  const bool may_narrow = first.format != "bf16" && device.Supports(DType::kFp8);
  const bool eager = first.framework == "vllm" && first.version.starts_with("0.14");
  std::vector<KernelChoice> choices;
  for (const auto& [rows, keys] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {32, 32}, {64, 64}, {128, 64}, {128, 128}}) {
    for (std::int64_t absorbs = 0; absorbs <= (may_absorb ? 1 : 0); ++absorbs) {
      for (std::int64_t narrow = 0; narrow <= (may_narrow ? 1 : 0); ++narrow) {
        choices.push_back({{"tile_rows", rows},
                           {"tile_keys", keys},
                           {"absorbs", absorbs},
                           {"cache_math", narrow},
                           {"rotates", first.framework == "trtllm"},
                           {"eager", eager ? 1 : 0}});
      }
    }
  }
  return choices;
}

}  // namespace

FamilyPlan MlaPrefillPlan() {
  FamilyPlan plan;
  plan.family = "mla_prefill";
  plan.form = "flash_prefill";
  plan.kernels = Kernels;
  plan.starts = 1;
  plan.prior_weight = 0.05;
  return plan;
}

}  // namespace roofcast
