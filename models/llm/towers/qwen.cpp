// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// The towers of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5: patches of several frames, rotary
// positions inside, and a merger of neighbouring patches as the projector, which has a norm and
// two linear layers. deepstack_visual_indexes of Qwen3-VL adds one merger a listed layer, whose
// norm runs over the merged patches.
namespace roofcast {
namespace {

constexpr std::int64_t kMostFrames = 100;

std::int64_t ReadPatch(ConfigReader& vision, std::int64_t hidden, bool bias) {
  // spatial_patch_size says patch_size again.
  vision.Ignore({"num_heads", "spatial_patch_size"});
  const std::int64_t frames = vision.Size("temporal_patch_size", kMostFrames);
  return LinearParameters(frames * ReadPatchInputs(vision), hidden, bias);
}

std::int64_t ReadMerged(ConfigReader& vision, std::int64_t hidden) {
  const std::int64_t merge = vision.Size("spatial_merge_size", kLargestMerge);
  return hidden * merge * merge;
}

std::int64_t MergerParameters(std::int64_t merged, std::int64_t outputs, std::int64_t norm) {
  return norm + LinearParameters(merged, merged, true) + LinearParameters(merged, outputs, true);
}

// What the merger makes goes into the language model as it is.
void CheckOutputs(ConfigReader& vision,
                  std::string_view key,
                  std::int64_t outputs,
                  const Llm& llm) {
  if (!vision.ok() || outputs == llm.hidden) return;
  vision.Complain(key,
                  std::to_string(outputs) + " is not hidden_size of the language model, " +
                      std::to_string(llm.hidden),
                  "");
}

// deepstack_visual_indexes: distinct layers of the tower.
std::int64_t ReadDeepstack(ConfigReader& vision, std::int64_t depth) {
  constexpr std::string_view kKey = "deepstack_visual_indexes";
  std::vector<std::int64_t> indexes = vision.Counts(kKey);
  std::sort(indexes.begin(), indexes.end());
  const bool twice = std::adjacent_find(indexes.begin(), indexes.end()) != indexes.end();
  if (vision.ok() && (twice || (!indexes.empty() && indexes.back() >= depth))) {
    vision.Complain(kKey, "needs distinct layers below " + std::to_string(depth), "");
    return 0;
  }
  return static_cast<std::int64_t>(indexes.size());
}

void AddQwen3(ConfigReader& vision, Llm& llm) {
  Encoder encoder;
  encoder.layers = vision.Size("depth", kDeepestTower);
  encoder.layer.hidden = vision.Size("hidden_size", kWidestTower);
  encoder.layer.inner = encoder.layer.hidden;
  encoder.layer.width = vision.Size("intermediate_size", kWidestTower);
  const std::int64_t hidden = encoder.hidden();
  constexpr std::int64_t kMostPositions = 100'000'000;
  encoder.others = ReadPatch(vision, hidden, true) +
                   vision.Size("num_position_embeddings", kMostPositions) * hidden;
  const std::int64_t merged = ReadMerged(vision, hidden);
  const std::int64_t outputs = vision.Size("out_hidden_size");
  CheckOutputs(vision, "out_hidden_size", outputs, llm);
  const std::int64_t deepstack = ReadDeepstack(vision, encoder.layers);
  AddTower(vision,
           llm,
           encoder.Parameters(),
           MergerParameters(merged, outputs, encoder.NormParameters()) +
               deepstack * MergerParameters(merged, outputs, 2 * merged));
}

}  // namespace

// hidden_size is what comes out; embed_dim and mlp_ratio shape the layers.
void AddQwen2VlTower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"qwen2_vl", "qwen2_vl_vision"});
  Encoder encoder;
  encoder.layers = vision.Size("depth", kDeepestTower);
  encoder.layer.hidden = vision.Size("embed_dim", kWidestTower);
  encoder.layer.inner = encoder.layer.hidden;
  encoder.layer.width = encoder.layer.hidden * vision.Size("mlp_ratio", 100);
  encoder.others = ReadPatch(vision, encoder.hidden(), false);
  const std::int64_t merged = ReadMerged(vision, encoder.hidden());
  const std::int64_t outputs = vision.Size("hidden_size");
  CheckOutputs(vision, "hidden_size", outputs, llm);
  AddTower(vision,
           llm,
           encoder.Parameters(),
           MergerParameters(merged, outputs, encoder.NormParameters()));
}

// Gated layers with RMSNorm; most of them see windows of patches only, which shapes nothing.
void AddQwen25VlTower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"qwen2_5_vl", "qwen2_5_vl_vision"});
  vision.Ignore({"window_size", "fullatt_block_indexes"});
  Encoder encoder;
  encoder.layers = vision.Size("depth", kDeepestTower);
  encoder.layer.hidden = vision.Size("hidden_size", kWidestTower);
  encoder.layer.inner = encoder.layer.hidden;
  encoder.layer.width = vision.Size("intermediate_size", kWidestTower);
  encoder.layer.gated = true;
  encoder.layer.norm_bias = false;
  encoder.others = ReadPatch(vision, encoder.hidden(), false);
  const std::int64_t merged = ReadMerged(vision, encoder.hidden());
  const std::int64_t outputs = vision.Size("out_hidden_size");
  CheckOutputs(vision, "out_hidden_size", outputs, llm);
  AddTower(vision,
           llm,
           encoder.Parameters(),
           MergerParameters(merged, outputs, encoder.NormParameters()));
}

void AddQwen3VlTower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"qwen3_vl", "qwen3_vl_vision", "qwen3_vl_moe", "qwen3_vl_moe_vision"});
  if (vision.Find("deepstack_visual_indexes") == nullptr) {
    vision.Missing("deepstack_visual_indexes", "add it: [] if there are no deepstack mergers");
  }
  AddQwen3(vision, llm);
}

// As Qwen3-VL; its class has no deepstack.
void AddQwen35Tower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"qwen3_5", "qwen3_5_vision", "qwen3_5_moe", "qwen3_5_moe_vision"});
  AddQwen3(vision, llm);
}

}  // namespace roofcast
