// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

// What vision towers have in common: transformer layers between an embedding of patches and a
// projector into the language model. The limits keep every product of sizes within 64 bits.
namespace roofcast {

constexpr std::int64_t kWidestTower = 100'000;
constexpr std::int64_t kDeepestTower = 1'000;
constexpr std::int64_t kLargestPatch = 1'000;
constexpr std::int64_t kLargestMerge = 8;

// inputs x outputs, and one bias an output.
std::int64_t LinearParameters(std::int64_t inputs, std::int64_t outputs, bool bias);

struct EncoderLayer {
  std::int64_t hidden = 0;
  std::int64_t inner = 0;  // of all heads together; most often equal to hidden
  std::int64_t width = 0;  // of the feed-forward part
  bool gated = false;      // two matrices in, one out; else one in, one out
  bool qkv_bias = true;
  bool output_bias = true;
  bool ffn_bias = true;
  std::int64_t norms = 2;   // over the hidden size
  bool norm_bias = true;    // LayerNorm; else RMSNorm
  std::int64_t others = 0;  // further learned numbers: scales, norms of heads

  std::int64_t Parameters() const;
};

struct Encoder {
  EncoderLayer layer;
  std::int64_t layers = 0;
  std::int64_t others = 0;  // embeddings of patches and positions, norms before and after

  std::int64_t hidden() const { return layer.hidden; }
  std::int64_t NormParameters() const { return (layer.norm_bias ? 2 : 1) * layer.hidden; }
  std::int64_t Parameters() const { return layers * layer.Parameters() + others; }
};

// hidden_size, intermediate_size and num_hidden_layers; heads don't change the shapes.
Encoder ReadEncoderSizes(ConfigReader& vision);

// Inputs of the embedding of one patch: channels x side^2. The classes take three channels when
// the file says nothing.
std::int64_t ReadPatchInputs(ConfigReader& vision);
// Whole patches in an image: image_size and patch_size are numbers or [height, width].
std::int64_t ReadPatches(ConfigReader& vision);

// Complains when vision_config has another model_type than these.
void CheckTowerType(ConfigReader& vision, ConfigReader::Keys known);

// Itemises both parts, unless the config has problems. They are stored in the model's dtype,
// whatever its quantisation.
void AddTower(ConfigReader& vision, Llm& llm, std::int64_t tower, std::int64_t projector);

}  // namespace roofcast
