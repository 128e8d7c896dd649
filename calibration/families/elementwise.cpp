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
  std::vector<KernelChoice> ways = {{},
                                    {{"block", 1024}},
                                    {{"block", 1024}, {"whole_waves", 1}},
                                    {{"block", 256}, {"at_once", 2048}},
                                    {{"block", 256}, {"whole_waves", 1}}};
  // Those that need a row's sum before they can write read it again where it is too long to keep.
  if (op->kind == ElementwiseKind::kSoftmax || op->kind == ElementwiseKind::kNorm) {
    ways.reserve(ways.size() + 4);
    for (const std::int64_t held : {1024, 8192}) {
      ways.push_back({{"held", held}});
      ways.push_back({{"block", 1024}, {"held", held}});
    }
  }
  return ways;
}

}  // namespace

FamilyPlan ElementwisePlan() {
  FamilyPlan plan;
  plan.family = "elementwise";
  plan.form = "streaming";
  plan.kernels = WaysThrough;
  return plan;
}

FamilyPlan EmbeddingPlan() {
  FamilyPlan plan;
  plan.family = "embedding";
  plan.form = "gather";
  return plan;
}

}  // namespace roofcast
