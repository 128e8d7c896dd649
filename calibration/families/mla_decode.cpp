// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/choices.h"
#include "calibration/families/families.h"

namespace roofcast {
namespace {

std::vector<KernelChoice> Kernels(const MeasuredRow& first, const Device& device) {
  const auto is = [&](std::string_view word) {
    return first.kernel.find(word) != std::string::npos;
  };
  constexpr auto kNone = static_cast<std::int64_t>(SplitRule::kNone);
  constexpr auto kFill = static_cast<std::int64_t>(SplitRule::kFill);
  constexpr auto kBalanced = static_cast<std::int64_t>(SplitRule::kBalanced);
  constexpr auto kLogarithmic = static_cast<std::int64_t>(SplitRule::kLogarithmic);
  Choices choices;
  if (is("triton")) {
    choices.Try("split_rule", {kFill, kLogarithmic})
        .Try("rows_most", {16, 64, 128})
        .Try("per_unit", {1, 2, 4});
  } else {
    const bool splits = device.architecture == "hopper" || device.architecture == "blackwell";
    choices.Try("split_rule", splits ? std::vector{kFill, kBalanced} : std::vector{kNone})
        .Try("row_tile", {16, 64})
        .Try("rows_most", {64, 128})
        .Try("step", splits ? std::vector<std::int64_t>{64, 256} : std::vector<std::int64_t>{64});
  }
  choices.Try("rounds", {0, 1});
  // The rows of vLLM were measured without a CUDA graph.
  choices.Set("eager", first.framework == "vllm" ? 1 : 0);
  if (first.format != "bf16") choices.Try("cache_math", {0, 1});
  return choices.Take();
}

}  // namespace

FamilyPlan MlaDecodePlan() {
  FamilyPlan plan;
  plan.family = "mla_decode";
  plan.form = "split_decode";
  plan.kernels = Kernels;
  plan.starts = 1;
  return plan;
}

}  // namespace roofcast
