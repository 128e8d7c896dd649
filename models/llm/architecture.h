// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/quantity.h"
#include "models/llm/layer.h"
#include "models/llm/matrix_format.h"
#include "models/llm/part.h"

// The layer table: what a model's config.json says, once. Parameters, FLOPs, bytes, KV cache and
// operators are all read from it (models/llm/tensors.h), so that they can't disagree.
namespace roofcast {

// How a checkpoint stores what its quantisation covers: data that models/llm/quantisation writes
// and tensors.h reads.
struct Quantisation {
  // The format of one tensor, or of all of its name in the layers that make this choice.
  struct Choice {
    Part part = Part::kExperts;
    std::string_view tensor;  // Tensor::name
    std::int32_t format = 0;  // of `formats`

    friend auto operator<=>(const Choice&, const Choice&) = default;
  };

  std::string method;  // "fp8", "mxfp4", ...: as config.json names it
  std::vector<MatrixFormat> formats;
  std::int32_t main = 0;  // of `formats`: the one that most parameters are in
  // By Layer::storage: what a layer stores narrow. 0 is for the tensors outside the layers.
  std::vector<std::vector<Choice>> choices;
  // The checkpoint comes with the scales of a KV cache in this format.
  std::optional<DType> kv;

  const MatrixFormat& Main() const { return formats[static_cast<std::size_t>(main)]; }
  const MatrixFormat* FormatOf(std::int32_t storage, Part part, std::string_view tensor) const;
};

struct Llm {
  std::string name;        // "llama-3.1-70b"
  std::string model_type;  // of config.json
  std::string place;       // where it was read
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  bool tied_embeddings = false;
  bool causal = true;                  // false: an encoder, whose tokens see each other both ways
  std::int64_t learned_positions = 0;  // rows of a position table, 0 = rotary
  std::int64_t token_types = 0;        // rows of a segment table (BERT)
  std::int64_t patch_inputs = 0;       // numbers of an image's patch, whose tokens come from one
                                       // matrix and not from a token table (ViT)
  bool embedding_norm = false;         // a norm of embeddings, with the bias of final_norm_bias
  bool final_norm = true;
  bool final_norm_bias = false;
  bool has_head = true;  // an LM head; tied_embeddings: one without own weights
  bool head_bias = false;
  bool head_transform = false;  // a square layer and a norm before the head, with the biases of
                                // final_norm_bias (masked LM)
  std::int64_t max_length = 0;  // positions that the config allows, 0 = not said
  DType dtype = DType::kBf16;   // torch_dtype: what isn't quantised is stored in this
  std::optional<DType> router_dtype;  // routers are stored in this, where it isn't `dtype`
  std::optional<Quantisation> quantisation;
  std::int64_t mtp_modules = 0;   // that the checkpoint has beside the backbone
  std::vector<Layer> mtp_layers;  // of each module
  std::int64_t mtp_copies = 0;    // of the token table that each brings: as embedding and as head
  std::int32_t mtp_storage = 0;   // of Quantisation::choices
  // Parts that the checkpoint has beside the text backbone, by name: MTP, vision tower, ...
  std::map<std::string, std::int64_t> extra_parameters;
  // What they take in the checkpoint, where it isn't in the bytes of a backbone tensor already (a
  // scale is in those of its matrix).
  std::map<std::string, Bytes> extra_bytes;

  // Distinct layers, and for each layer of the model which of them it is. Cost grows with the
  // kinds, not with the layers.
  std::vector<Layer> kinds;
  std::vector<std::int32_t> layers;

  std::int64_t LayerCount() const { return static_cast<std::int64_t>(layers.size()); }
  const Layer& LayerAt(std::int64_t index) const {
    return kinds[static_cast<std::size_t>(layers[static_cast<std::size_t>(index)])];
  }
  // How many of the layers [first, last) are of each kind.
  std::vector<std::int64_t> KindCounts(std::int64_t first, std::int64_t last) const;
  // Adds one layer, reusing an equal kind.
  void Append(const Layer& layer);
};

}  // namespace roofcast
