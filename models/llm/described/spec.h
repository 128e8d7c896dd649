// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/fields.h"
#include "models/llm/architecture.h"

namespace roofcast {

class SpecReader;
class YamlNode;

// A model described by hand, in a YAML of a few lines: a decoder whose layers differ at most in
// what their attention sees and in whether they have experts. What a line leaves out is absent
// from the model, unless its meaning says otherwise; sizes have no defaults.
struct DescribedLlm {
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::optional<std::int64_t> head_dim;
  std::int64_t vocabulary = 0;
  std::optional<bool> tied_embeddings;
  std::optional<bool> gated;
  std::optional<std::int64_t> ffn;
  std::optional<std::int64_t> experts;
  std::optional<std::int64_t> experts_per_token;
  std::optional<std::int64_t> expert_width;
  std::optional<std::int64_t> shared_width;
  std::optional<std::int64_t> dense_layers;
  std::optional<std::int64_t> experts_every;
  std::optional<std::int64_t> window;
  std::optional<std::int64_t> full_every;
  bool qkv_bias = false;
  bool output_bias = false;
  bool ffn_bias = false;
  bool router_bias = false;
  bool query_key_norm = false;
  bool layer_norm = false;
  std::optional<std::int64_t> learned_positions;
  std::optional<std::int64_t> max_length;
  std::optional<DType> dtype;

  template <class V>
  static void Fields(V& v) {
    using D = DescribedLlm;
    constexpr FieldRule kChoice = FieldRule::kNoSource;
    v("hidden", &D::hidden, "width of the residual stream", kChoice);
    v("layers", &D::layers, "transformer layers", kChoice);
    v("heads", &D::heads, "query heads", kChoice);
    v("kv_heads", &D::kv_heads, "heads of keys and values; divide the query heads", kChoice);
    v("head_dim", &D::head_dim, "numbers of a head; hidden / heads when absent", kChoice);
    v("vocabulary", &D::vocabulary, "rows of the token table, padding included", kChoice);
    v("tied_embeddings", &D::tied_embeddings, "must be there: one table for input and output");
    v("gated", &D::gated, "must be there: feed-forward parts have three matrices, else two");
    v("ffn", &D::ffn, "width of a dense feed-forward part", kChoice);
    v("experts", &D::experts, "routed experts of a layer; absent: a dense model", kChoice);
    v("experts_per_token", &D::experts_per_token, "experts that a token goes through", kChoice);
    v("expert_width", &D::expert_width, "width of one routed expert", kChoice);
    v("shared_width", &D::shared_width, "width of all shared experts together", kChoice);
    v("dense_layers", &D::dense_layers, "first layers that have no experts", kChoice);
    v("experts_every",
      &D::experts_every,
      "layers 0, n, 2n and so on have experts, the others none; 1 when absent",
      kChoice);
    v("window", &D::window, "tokens that a layer sees, its own included", kChoice);
    v("full_every", &D::full_every, "of n layers with a window the last sees all", kChoice);
    v("qkv_bias", &D::qkv_bias, "biases on queries, keys and values");
    v("output_bias", &D::output_bias, "a bias after attention");
    v("ffn_bias", &D::ffn_bias, "biases in feed-forward parts and experts");
    v("router_bias", &D::router_bias, "one learned number an expert");
    v("query_key_norm", &D::query_key_norm, "RMSNorm of each query and key head");
    v("layer_norm", &D::layer_norm, "norms have biases: LayerNorm instead of RMSNorm");
    v("learned_positions", &D::learned_positions, "rows of a table of positions", kChoice);
    v("max_length", &D::max_length, "positions that the model allows", kChoice);
    v("dtype", &D::dtype, "number format of the checkpoint; bf16 when absent");
  }
  // Every fault, for ReadSpec of core/spec_reader.h.
  void Check(SpecReader& reader) const;
};

// What contradicts itself or can't be: the field, what is wrong, what to do.
struct DescriptionFault {
  std::string field;
  std::string text;
  std::string cure;
};
std::vector<DescriptionFault> FaultsOf(const DescribedLlm& described);

// The layer table; FaultsOf must be empty. False when it is too large for exact counts.
bool FillFrom(const DescribedLlm& described, Llm& llm);

// Whether a YAML is meant as such a description.
bool IsDescribedLlm(const YamlNode& node);

// A model described by hand. Throws SpecError.
Llm ParseDescribedLlm(std::string_view yaml, const std::string& name, const std::string& file);

}  // namespace roofcast
