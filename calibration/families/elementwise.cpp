// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

// How kernels of a kind may walk through memory. Where nothing but the order of the numbers
// matters they are split evenly; a kernel that needs whole rows gives each to a block.
std::vector<KernelChoice> WaysThrough(const MeasuredRow& first, const Device& /*device*/) {
  const auto* op = std::get_if<Elementwise>(&first.op);
  const bool by_rows = op != nullptr && op->kind != ElementwiseKind::kAdd &&
                       op->kind != ElementwiseKind::kActivation &&
                       op->kind != ElementwiseKind::kOther;
  if (!by_rows) return {{}};
  return {{},
          {{"block", 1024}},
          {{"block", 1024}, {"whole_waves", 1}},
          {{"block", 256}, {"at_once", 2048}},
          {{"block", 256}, {"whole_waves", 1}}};
}

}  // namespace

FamilyPlan ElementwisePlan() {
  FamilyPlan plan;
  plan.family = "elementwise";
  plan.form = "streaming";
  plan.kernels = WaysThrough;
  plan.starts = 2;
  return plan;
}

FamilyPlan EmbeddingPlan() {
  FamilyPlan plan;
  plan.family = "embedding";
  plan.form = "gather";
  return plan;
}

}  // namespace roofcast
