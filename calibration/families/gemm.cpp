// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "calibration/families/families.h"
#include "models/kernels/gemm_tiles.h"

namespace roofcast {
namespace {

KernelChoice Choice(GemmTiles tiles, bool splits) {
  return {{"tiles", static_cast<std::int64_t>(tiles)}, {"splits", splits ? 1 : 0}};
}

// DeepGEMM and the kernels of nvfp4 don't split k: fits of these with splitting drive its charge to
// the bound. Of the kernels of fp8, those of cuBLAS split.
std::vector<KernelChoice> KernelsOf(const MeasuredRow& first, const Device& device) {
  const GemmTiles usual = GemmTiles::kOfArchitecture;
  if (first.format == "fp8_block" || first.format == "nvfp4") return {Choice(usual, false)};
  if (first.format != "fp8") return {Choice(usual, true)};
  std::vector<KernelChoice> choices = {Choice(usual, true), Choice(usual, false)};
  if (device.architecture == "hopper" && first.framework != "trtllm") {
    choices.push_back(Choice(GemmTiles::kVllmHopper, false));
    choices.push_back(Choice(GemmTiles::kSglangHopper, false));
  }
  return choices;
}

// In fp8 each framework has kernels of its own; elsewhere frameworks share libraries.
SeriesPlace Place(const MeasuredRow& row) {
  if (row.format == "fp8") return {row.format, row.framework, "", ""};
  return {row.format, "", "", row.framework};
}

}  // namespace

FamilyPlan GemmPlan() {
  FamilyPlan plan;
  plan.family = "gemm";
  plan.form = "tiled_gemm";
  plan.place = Place;
  plan.framework_fields = {"intercept",
                           "compute_efficiency",
                           "quantise_launch",
                           "quantise_traffic",
                           "step_floor",
                           "feeding"};
  plan.kernels = KernelsOf;
  return plan;
}

}  // namespace roofcast
