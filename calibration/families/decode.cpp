// SPDX-License-Identifier: Apache-2.0
#include "calibration/families/families.h"

namespace roofcast {
namespace {

std::vector<KernelChoice> Kernels(const MeasuredRow& first, const Device& device) {
  std::vector<KernelChoice> choices = {{}};
  const auto cross = [&](std::string_view name, std::vector<std::int64_t> values) {
    std::vector<KernelChoice> more;
    for (const KernelChoice& choice : choices) {
      for (const std::int64_t value : values) {
        more.push_back(choice);
        more.back()[std::string(name)] = value;
      }
    }
    choices = std::move(more);
  };
  const std::string& k = first.kernel;
  const bool blackwell = device.architecture == "blackwell";
  const bool fp8 = std::get<Attention>(first.op).kv == DType::kFp8;
  const auto has = [&](const char* word) { return k.find(word) != std::string::npos; };
  if (k == "torch_flow" && !blackwell) {
    cross("split_rule", {fp8 && device.architecture != "hopper" ? 0 : 2});
    cross("resident", {1, 2});
    cross("row_tile", {8});
    cross("rows_most", {32});
    cross("head_above", {32});
    cross("head_unless_filled", {fp8 ? 0 : 1});
    cross("head_resident", {-1, 2});
    cross("merges_rows", {0, 1});
    cross("rounds", {0, 1});
  } else if (k == "torch_flow" || has("trtllm")) {
    cross("split_rule", {1});
    cross("step", {128, 256, 512});
    cross("row_tile", {8, 16});
    cross("head_above", {k == "torch_flow" ? 32 : 0});
    cross("merges_rows", {0, 1});
    cross("rounds", {0, 1});
  } else if (has("fa3") || k == "flash_attention") {
    cross("split_rule", {3});
    cross("row_tile", {64});
    cross("rows_most", {64, 128});
    if (k == "flash_attention") cross("step", {96});
    cross("whole_resident", {1, 2});
    cross("head_up_to", {0});
    cross("rounds", {0, 1});
  } else if (has("flash_att")) {
    cross("split_rule", {4});
    cross("per_unit", {2});
    cross("row_tile", {64});
    cross("head_split_rule", {0});
    cross("head_in_window", {1});
    cross("swaps", {1});
    cross("rounds", {0, 1});
  } else if (has("flashinfer")) {
    cross("split_rule", {5});
    cross("per_unit", {1, 2});
    cross("row_growth", {4});
    cross("flat_rows", {0, 1});
    cross("head_split_rule", {5});
    cross("head_per_unit", {2, 4});
    cross("head_up_to", {fp8 ? 0 : 3});
    cross("head_is_shared", {1});
    cross("rounds", {0, 1});
  } else {
    cross("split_rule", {6});
    cross("per_unit", {1, 2});
    cross("head_up_to", {1});
    cross("head_split_rule", {6});
  }
  return choices;
}

}  // namespace

FamilyPlan DecodePlan() {
  FamilyPlan plan;
  plan.family = "decode";
  plan.form = "split_decode";
  plan.kernels = Kernels;
  return plan;
}

}  // namespace roofcast
