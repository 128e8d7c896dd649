// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

std::vector<KernelChoice> Kernels(const MeasuredRow& /*first*/, const Device& /*device*/) {
  std::vector<KernelChoice> choices;
  for (const auto& [rows, keys] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {64, 32}, {64, 64}, {128, 64}, {128, 128}}) {
    choices.push_back({{"tile_rows", rows}, {"tile_keys", keys}});
  }
  return choices;
}

}  // namespace

// Some 35 rows a framework: they share what the device decides, and differ in launches, efficiency
// and in the head sizes of vision towers that a framework has no kernel of its own for.
FamilyPlan EncoderPlan() {
  FamilyPlan plan;
  plan.family = "encoder";
  plan.form = "flash_prefill";
  plan.pools_frameworks = true;
  plan.framework_fields = {
      "intercept", "compute_efficiency", "cta", "head_64", "head_72", "head_80"};
  plan.kernels = Kernels;
  plan.starts = 1;
  plan.prior_weight = 0.1;
  return plan;
}

}  // namespace roofcast
