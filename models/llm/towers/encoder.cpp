// SPDX-License-Identifier: Apache-2.0
#include "models/llm/towers/encoder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"

namespace roofcast {
namespace {

struct Sides {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

// A number, or [height, width].
Sides ReadSides(ConfigReader& vision, std::string_view key, std::int64_t largest) {
  const ConfigNode* node = vision.Find(key);
  if (node == nullptr || !node->IsList()) {
    const std::int64_t side = vision.Size(key, largest);
    return {side, side};
  }
  const std::vector<std::int64_t> sides = vision.Counts(key);
  const bool sound =
      sides.size() == 2 && std::all_of(sides.begin(), sides.end(), [=](std::int64_t side) {
        return side >= 1 && side <= largest;
      });
  if (sound) return {sides[0], sides[1]};
  vision.Complain(key, "needs two numbers from 1 to " + std::to_string(largest), "");
  return {};
}

constexpr std::int64_t kLargestImage = 10'000;

}  // namespace

std::int64_t LinearParameters(std::int64_t inputs, std::int64_t outputs, bool bias) {
  return inputs * outputs + (bias ? outputs : 0);
}

std::int64_t EncoderLayer::Parameters() const {
  const std::int64_t attention =
      3 * LinearParameters(hidden, inner, qkv_bias) + LinearParameters(inner, hidden, output_bias);
  const std::int64_t ffn = (gated ? 2 : 1) * LinearParameters(hidden, width, ffn_bias) +
                           LinearParameters(width, hidden, ffn_bias);
  return attention + ffn + norms * (norm_bias ? 2 : 1) * hidden + others;
}

Encoder ReadEncoderSizes(ConfigReader& vision) {
  Encoder encoder;
  encoder.layer.hidden = vision.Size("hidden_size", kWidestTower);
  encoder.layer.inner = encoder.layer.hidden;
  encoder.layer.width = vision.Size("intermediate_size", kWidestTower);
  encoder.layers = vision.Size("num_hidden_layers", kDeepestTower);
  vision.Ignore({"num_attention_heads"});
  return encoder;
}

std::int64_t ReadPatchInputs(ConfigReader& vision) {
  const Sides patch = ReadSides(vision, "patch_size", kLargestPatch);
  constexpr std::int64_t kMostChannels = 1'000;
  const std::int64_t channels =
      vision.OptionalSize({"num_channels", "in_channels", "in_chans"}).value_or(3);
  if (channels > kMostChannels) {
    vision.Complain("num_channels", "more than " + std::to_string(kMostChannels), "");
    return 1;
  }
  return channels * patch.height * patch.width;
}

std::int64_t ReadPatches(ConfigReader& vision) {
  const Sides image = ReadSides(vision, "image_size", kLargestImage);
  const Sides patch = ReadSides(vision, "patch_size", kLargestPatch);
  return (image.height / patch.height) * (image.width / patch.width);
}

void CheckTowerType(ConfigReader& vision, ConfigReader::Keys known) {
  const auto type = vision.OptionalText({"model_type"});
  if (!type || std::find(known.begin(), known.end(), *type) != known.end()) return;
  const std::vector<std::string> names(known.begin(), known.end());
  vision.Complain(
      "model_type", Quoted(*type) + " is not understood", "known: " + JoinWithOr(names));
}

void AddTower(ConfigReader& vision, Llm& llm, std::int64_t tower, std::int64_t projector) {
  if (!vision.ok()) return;
  for (const auto& [name, parameters] :
       {std::pair("vision tower", tower), std::pair("vision projector", projector)}) {
    llm.extra_parameters[name] = parameters;
    llm.extra_bytes[name] = BytesOf(llm.dtype) * parameters;
  }
}

}  // namespace roofcast
