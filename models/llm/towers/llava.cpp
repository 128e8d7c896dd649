// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// Wrappers that put any of three encoders before any language model: LLaVA 1.5, 1.6 and OneVision,
// Pixtral in LLaVA's clothes, and Mistral 3. Not in every file, and then as in the classes of
// transformers: LLaVA's tower is CLIP, its projector has biases, Mistral 3's tower is Pixtral and
// its projector has none. All layers of an encoder are in the checkpoint, though the features may
// be taken before the last.
namespace roofcast {
namespace {

// ViT-L of CLIP: a class token, learned positions, and norms before and after the layers. The
// patch embedding has no bias.
Encoder ReadClip(ConfigReader& vision) {
  Encoder encoder = ReadEncoderSizes(vision);
  vision.Ignore({"projection_dim", "vocab_size"});  // of the contrastive model it comes from
  const std::int64_t hidden = encoder.hidden();
  encoder.others = LinearParameters(ReadPatchInputs(vision), hidden, false) +
                   (ReadPatches(vision) + 2) * hidden + 2 * encoder.NormParameters();
  return encoder;
}

Encoder ReadSiglip(ConfigReader& vision) {
  Encoder encoder = ReadEncoderSizes(vision);
  if (vision.Flag("vision_use_head", true)) {
    vision.Complain("vision_use_head", "only false is understood", "");
  }
  const std::int64_t hidden = encoder.hidden();
  encoder.others = LinearParameters(ReadPatchInputs(vision), hidden, true) +
                   ReadPatches(vision) * hidden + encoder.NormParameters();
  return encoder;
}

// Rotary positions, so image_size shapes nothing.
Encoder ReadPixtral(ConfigReader& vision) {
  Encoder encoder = ReadEncoderSizes(vision);
  encoder.layer.gated = true;
  encoder.layer.qkv_bias = false;
  encoder.layer.output_bias = false;
  encoder.layer.ffn_bias = false;
  encoder.layer.norm_bias = false;
  vision.Ignore({"image_size", "head_dim"});
  encoder.others =
      LinearParameters(ReadPatchInputs(vision), encoder.hidden(), false) + encoder.NormParameters();
  return encoder;
}

struct EncoderType {
  std::string_view model_type;
  Encoder (*read)(ConfigReader& vision);
};
constexpr std::array kEncoders = {
    EncoderType{"clip_vision_model", ReadClip},
    EncoderType{"pixtral", ReadPixtral},
    EncoderType{"siglip_vision_model", ReadSiglip},
};

// The encoder that vision_config names; `when_absent` is the class's.
std::optional<Encoder> ReadEncoder(ConfigReader& vision, std::string_view when_absent) {
  const std::string type = vision.OptionalText({"model_type"}).value_or(std::string(when_absent));
  std::vector<std::string> known;
  for (const EncoderType& encoder : kEncoders) {
    if (encoder.model_type == type) return encoder.read(vision);
    known.emplace_back(encoder.model_type);
  }
  vision.Complain("model_type", Quoted(type) + " is not understood", "known: " + JoinWithOr(known));
  vision.IgnoreRest();
  return std::nullopt;
}

// vision_feature_layer: one layer, or a list of those whose features are concatenated.
std::int64_t ReadFeatureLayers(ConfigReader& top) {
  const ConfigNode* layers = top.Find("vision_feature_layer");
  if (layers == nullptr || !layers->IsList()) return 1;
  const auto count = static_cast<std::int64_t>(layers->items.size());
  if (count >= 1 && count <= kDeepestTower) return count;
  top.Complain("vision_feature_layer", std::to_string(count) + " layers", "list at least one");
  return 1;
}

// Two linear layers into the language model.
std::int64_t ReadProjector(ConfigReader& top,
                           const Encoder& encoder,
                           const Llm& llm,
                           bool bias_when_absent) {
  top.Ignore({"projector_hidden_act"});
  const bool bias = top.Flag("multimodal_projector_bias", bias_when_absent);
  const std::int64_t features = ReadFeatureLayers(top) * encoder.hidden();
  return LinearParameters(features, llm.hidden, bias) +
         LinearParameters(llm.hidden, llm.hidden, bias);
}

// `newline`: a learned vector that ends the rows of an image.
void AddLlava(
    ConfigReader& vision, ConfigReader& top, Llm& llm, std::string_view when_absent, bool newline) {
  const auto encoder = ReadEncoder(vision, when_absent);
  if (!encoder) return;
  const std::int64_t projector = ReadProjector(top, *encoder, llm, true);
  AddTower(vision, llm, encoder->Parameters(), projector + (newline ? llm.hidden : 0));
}

}  // namespace

void AddLlavaTower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  AddLlava(vision, top, llm, "clip_vision_model", false);
}

void AddLlavaNextTower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  AddLlava(vision, top, llm, "clip_vision_model", true);
}

void AddLlavaOneVisionTower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  AddLlava(vision, top, llm, "siglip_vision_model", true);
}

// A norm and a layer that merges patches stand before the two linear layers.
void AddMistral3Tower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  const auto encoder = ReadEncoder(vision, "pixtral");
  if (!encoder) return;
  const std::int64_t merge = top.Size("spatial_merge_size", kLargestMerge);
  const std::int64_t hidden = encoder->hidden();
  const std::int64_t merger = hidden + LinearParameters(hidden * merge * merge, hidden, false);
  AddTower(vision, llm, encoder->Parameters(), merger + ReadProjector(top, *encoder, llm, false));
}

// An RMSNorm and one matrix.
void AddGemma3Tower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"siglip_vision_model"});
  const Encoder encoder = ReadSiglip(vision);
  const std::int64_t hidden = encoder.hidden();
  AddTower(vision, llm, encoder.Parameters(), hidden + LinearParameters(hidden, llm.hidden, false));
}

}  // namespace roofcast
