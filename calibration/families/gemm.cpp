// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {

FamilyPlan GemmPlan() {
  FamilyPlan plan;
  plan.family = "gemm";
  plan.form = "tiled_gemm";
  plan.pools_frameworks = true;
  plan.framework_fields = {"intercept", "compute_efficiency"};
  return plan;
}

}  // namespace roofcast
