// SPDX-License-Identifier: Apache-2.0
#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// Llama 4: a ViT with a class token, learned and rotary positions and norms before and after;
// then an adapter of two matrices on merged patches, and the projector of one. The adapter stands
// in the checkpoint's vision_model, so it belongs to the tower here.
namespace roofcast {

void AddLlama4Tower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"llama4_vision_model"});
  Encoder encoder = ReadEncoderSizes(vision);
  const std::int64_t hidden = encoder.hidden();
  encoder.others = LinearParameters(ReadPatchInputs(vision), hidden, false) +
                   (ReadPatches(vision) + 2) * hidden + 2 * encoder.NormParameters();
  vision.Ignore({"vision_feature_layer"});  // all layers are there
  const std::int64_t between = vision.Size("projector_input_dim", kWidestTower);
  const std::int64_t after = vision.Size("projector_output_dim", kWidestTower);
  const std::int64_t outputs = vision.Size("vision_output_dim", kWidestTower);
  // The second matrix of the adapter is square in the class, so both dims are one.
  if (vision.ok() && (between != after || after != outputs)) {
    vision.Complain("vision_output_dim",
                    "projector_input_dim, projector_output_dim and this must be equal",
                    "");
  }
  if (vision.Flag("multi_modal_projector_bias", false)) {
    vision.Complain("multi_modal_projector_bias", "only false is understood", "");
  }
  const std::int64_t adapter =
      LinearParameters(encoder.layer.width, between, false) + LinearParameters(after, after, false);
  AddTower(
      vision, llm, encoder.Parameters() + adapter, LinearParameters(outputs, llm.hidden, false));
}

}  // namespace roofcast
