// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

FamilyPlan CpuPlan(std::string_view family, std::string_view form) {
  FamilyPlan plan;
  plan.family = family;
  plan.form = form;
  plan.device_kind = DeviceKind::kCpu;
  // One library measured them all; the kernels that it picks belong to a processor and a format.
  plan.pools_frameworks = true;
  return plan;
}

}  // namespace

std::vector<FamilyPlan> CpuPlans() {
  return {CpuPlan("gemm", "cpu_gemm"),
          CpuPlan("prefill", "cpu_attention"),
          CpuPlan("decode", "cpu_attention"),
          CpuPlan("elementwise", "cpu_pass")};
}

}  // namespace roofcast
