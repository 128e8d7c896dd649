// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/fields.h"
#include "core/quantity.h"

// The layer table: what a model's config.json says, once. Parameters, FLOPs, bytes, KV cache and
// operators are all read from it (models/llm/tensors.h), so that they can't disagree.
namespace roofcast {

enum class AttentionKind : std::uint8_t {
  kFull,     // every query sees the whole prefix
  kSliding,  // the last `window` tokens
  kLatent,   // DeepSeek's MLA: keys and values are rebuilt from one latent per token
};
template <>
struct EnumNames<AttentionKind> {
  static constexpr std::array<std::pair<AttentionKind, std::string_view>, 3> kNames = {{
      {AttentionKind::kFull, "full"},
      {AttentionKind::kSliding, "sliding"},
      {AttentionKind::kLatent, "latent"},
  }};
};

struct AttentionLayer {
  AttentionKind kind = AttentionKind::kFull;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;     // of kLatent: equal to heads (expanded), the cache has one latent
  std::int64_t head_dim = 0;     // of queries and keys; of kLatent: without + with rotation
  std::int64_t value_dim = 0;    // of values; equal to head_dim except in kLatent
  std::int64_t window = 0;       // kSliding: tokens seen, the query's own included
  std::int64_t query_rank = 0;   // kLatent: width of the compressed query, 0 = not compressed
  std::int64_t latent_rank = 0;  // kLatent: width of the cached latent
  std::int64_t rotary_dim = 0;   // kLatent: rotated part of a head, cached beside the latent
  bool qkv_bias = false;
  bool output_bias = false;
  bool query_key_norm = false;  // a norm over head_dim of queries and of keys
  bool sinks = false;           // one learned logit a head (gpt-oss)

  friend bool operator==(const AttentionLayer&, const AttentionLayer&) = default;
};

struct FfnLayer {
  std::int64_t width = 0;  // of a dense layer, or of one expert
  bool gated = true;       // two matrices in, one out; else one in, one out
  bool bias = false;
  std::int64_t experts = 0;  // 0 = dense
  std::int64_t experts_per_token = 0;
  std::int64_t shared_width = 0;  // of all shared experts together, 0 = none
  bool shared_gate = false;       // a sigmoid gate on the shared expert (Qwen MoE)
  bool router_bias = false;       // one number an expert (DeepSeek V3, gpt-oss)

  bool IsMoe() const { return experts > 0; }
  friend bool operator==(const FfnLayer&, const FfnLayer&) = default;
};

struct Layer {
  AttentionLayer attention;
  FfnLayer ffn;
  std::int64_t norms = 2;  // over the hidden size: 2 (before attention, before FFN) or 4 (Gemma)
  bool norm_bias = false;  // LayerNorm instead of RMSNorm

  friend bool operator==(const Layer&, const Layer&) = default;
};

// How a checkpoint stores the matrices that its quantisation covers.
struct Quantisation {
  std::string method;  // "fp8", "mxfp4", ...: as config.json names it
  DType dtype = DType::kFp8;
  // One scale a block of rows (outputs) x columns (inputs); 0 = all of them, so that 0 x 0 is one
  // scale a tensor and 1 x 0 one an output.
  std::int64_t block_rows = 0;
  std::int64_t block_columns = 0;
  DType scale_dtype = DType::kFp32;
  bool experts_only = false;  // mxfp4 of gpt-oss covers the experts alone
};

struct Llm {
  std::string name;        // "llama-3.1-70b"
  std::string model_type;  // of config.json
  std::string place;       // where it was read
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  bool tied_embeddings = false;
  std::int64_t learned_positions = 0;  // rows of a position table, 0 = rotary
  bool final_norm_bias = false;
  std::int64_t max_length = 0;  // positions that the config allows, 0 = not said
  DType dtype = DType::kBf16;   // torch_dtype: what isn't quantised is stored in this
  std::optional<Quantisation> quantisation;
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
