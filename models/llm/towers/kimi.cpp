// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/text.h"
#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// MoonViT of Kimi K2.5: a grid of learned positions, layers with biases, a norm after them, and a
// projector of a norm and two linear layers on merged patches. The file of the model spells its
// keys with vt_ and mm_, the class of transformers without.
namespace roofcast {
namespace {

constexpr std::int64_t kLongestGrid = 10'000;

// merge_kernel_size: [rows, columns] of patches that become one.
std::int64_t ReadMerge(ConfigReader& vision) {
  constexpr std::string_view kKey = "merge_kernel_size";
  const auto sides = vision.Counts(kKey);
  const bool sound = sides.size() == 2 && sides[0] >= 1 && sides[1] >= 1 &&
                     sides[0] <= kLargestMerge && sides[1] <= kLargestMerge;
  if (sound) return sides[0] * sides[1];
  if (vision.Given(kKey)) {
    vision.Complain(kKey, "needs two numbers from 1 to " + std::to_string(kLargestMerge), "");
  } else {
    vision.Missing(kKey);
  }
  return 1;
}

}  // namespace

void AddKimiTower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  CheckTowerType(vision, {"kimi_k25_vision", "kimi_k25", "moonvit3d"});
  vision.Ignore({"vt_num_attention_heads", "num_attention_heads", "projector_hidden_act"});
  top.Ignore({"use_unified_vision_chunk"});
  // Positions in time are sines and cosines, kept in no file.
  vision.Ignore({"init_pos_emb_time", "pos_emb_time", "pos_emb_type"});
  Encoder encoder;
  encoder.layer.hidden = vision.Size({"vt_hidden_size", "hidden_size"}, kWidestTower);
  encoder.layer.inner = encoder.layer.hidden;
  encoder.layer.width = vision.Size({"vt_intermediate_size", "intermediate_size"}, kWidestTower);
  encoder.layers = vision.Size({"vt_num_hidden_layers", "num_hidden_layers"}, kDeepestTower);
  const std::int64_t hidden = encoder.hidden();
  const std::int64_t positions =
      vision.Size({"init_pos_emb_height", "pos_emb_height"}, kLongestGrid) *
      vision.Size({"init_pos_emb_width", "pos_emb_width"}, kLongestGrid);
  encoder.others = LinearParameters(ReadPatchInputs(vision), hidden, true) + positions * hidden +
                   encoder.NormParameters();

  const std::string type = vision.OptionalText({"mm_projector_type"}).value_or("patchmerger");
  if (type != "patchmerger") {
    vision.Complain("mm_projector_type", Quoted(type) + " is not understood", "known: patchmerger");
  }
  if (const auto outputs = vision.OptionalSize({"text_hidden_size"});
      outputs && vision.ok() && *outputs != llm.hidden) {
    vision.Complain("text_hidden_size", "is not hidden_size of the language model", "");
  }
  const auto inner = vision.OptionalSize({"mm_hidden_size"});
  const std::int64_t inputs =
      inner ? *inner : top.OptionalSize({"projection_hidden_size"}).value_or(hidden);
  if (vision.ok() && inputs != hidden) {
    vision.Complain("mm_hidden_size", "is not the hidden size of the tower", "");
  }
  const std::int64_t merged = hidden * ReadMerge(vision);
  AddTower(vision,
           llm,
           encoder.Parameters(),
           2 * hidden + LinearParameters(merged, merged, true) +
               LinearParameters(merged, llm.hidden, true));
}

}  // namespace roofcast
