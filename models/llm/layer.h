// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fields.h"

// One layer of the layer table (models/llm/architecture.h): what mixes its tokens (attention, a
// recurrence, or both side by side) and its feed-forward part. Either may be absent.
namespace roofcast {

enum class AttentionKind : std::uint8_t {
  kNone,     // the layer has no attention
  kFull,     // every query sees the whole prefix
  kSliding,  // the last `window` tokens
  kChunked,  // the tokens so far of its own chunk of `window` tokens (Llama 4)
  kLatent,   // DeepSeek's MLA: keys and values are rebuilt from one latent per token
  kLinear,   // one square matrix instead, token by token (pruned layers)
};
template <>
struct EnumNames<AttentionKind> {
  static constexpr std::array<std::pair<AttentionKind, std::string_view>, 6> kNames = {{
      {AttentionKind::kNone, "none"},
      {AttentionKind::kFull, "full"},
      {AttentionKind::kSliding, "sliding"},
      {AttentionKind::kChunked, "chunked"},
      {AttentionKind::kLatent, "latent"},
      {AttentionKind::kLinear, "linear"},
  }};
};

// Learned weights of the norm on queries and keys.
enum class QueryKeyNorm : std::uint8_t {
  kNone,   // no norm, or one without weights (Llama 4)
  kHead,   // head_dim weights that all heads share (Qwen3)
  kWhole,  // one weight for each number of queries and keys (OLMo 2, MiniMax-M2)
};

struct AttentionLayer {
  AttentionKind kind = AttentionKind::kFull;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;     // of kLatent: equal to heads (expanded), the cache has one latent
  std::int64_t head_dim = 0;     // of queries and keys; of kLatent: without + with rotation
  std::int64_t value_dim = 0;    // of values; most often equal to head_dim
  std::int64_t window = 0;       // kSliding: tokens seen, the query's own included; kChunked: chunk
  std::int64_t query_rank = 0;   // kLatent: width of the compressed query, 0 = not compressed
  std::int64_t latent_rank = 0;  // kLatent: width of the cached latent
  std::int64_t rotary_dim = 0;   // kLatent: rotated part of a head, cached beside the latent
  // Sparse attention (DSA): an indexer with its own cached key picks the tokens that are seen.
  std::int64_t index_heads = 0;   // 0 = no indexer
  std::int64_t index_dim = 0;     // of an indexer head, and of its cached key
  std::int64_t index_tokens = 0;  // tokens picked a query
  bool qkv_bias = false;
  bool output_bias = false;
  bool output_gate = false;       // the query projection also makes a gate of the output's size
  bool values_from_keys = false;  // no value projection: values are the projected keys
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  bool sinks = false;  // one learned logit a head (gpt-oss)

  bool IsNone() const { return kind == AttentionKind::kNone; }
  // Whether a token is seen only by the next ones up to `window`.
  bool IsWindowed() const {
    return kind == AttentionKind::kSliding || kind == AttentionKind::kChunked;
  }
  friend bool operator==(const AttentionLayer&, const AttentionLayer&) = default;
};

// Mixers with a state of fixed size instead of a cache that grows with the tokens.
enum class RecurrentKind : std::uint8_t {
  kNone,
  kMamba,       // selective state space, one state a channel (Jamba)
  kMamba2,      // state-space duality: heads share their decay (Nemotron-H, Granite 4, Falcon-H1)
  kGatedDelta,  // gated delta rule (Qwen3-Next)
  kKimiDelta,   // delta rule gated channel by channel (Kimi Linear)
  kLightning,   // linear attention with a fixed decay a head (MiniMax-01)
};
template <>
struct EnumNames<RecurrentKind> {
  static constexpr std::array<std::pair<RecurrentKind, std::string_view>, 6> kNames = {{
      {RecurrentKind::kNone, "none"},
      {RecurrentKind::kMamba, "mamba"},
      {RecurrentKind::kMamba2, "mamba2"},
      {RecurrentKind::kGatedDelta, "gated delta"},
      {RecurrentKind::kKimiDelta, "kimi delta"},
      {RecurrentKind::kLightning, "lightning"},
  }};
};

// The state of one sequence is heads x head_dim x state_dim numbers, and the last taps of the
// convolution's inputs.
struct RecurrentLayer {
  RecurrentKind kind = RecurrentKind::kNone;
  std::int64_t heads = 0;      // of values; kMamba: its channels, with a head_dim of 1
  std::int64_t head_dim = 0;   // numbers of one head's input and output
  std::int64_t key_heads = 0;  // groups of B and C, or heads of keys; divide `heads`
  std::int64_t state_dim = 0;  // numbers of a key: what each number of a head is spread over
  std::int64_t taps = 0;       // of the short causal convolution, 0 = none
  std::int64_t rank = 0;       // kMamba: of the step size; kKimiDelta: of both gates
  bool bias = false;           // of the projections
  bool taps_bias = false;
  bool inner_norms = false;  // kMamba: norms of step size, B and C (Jamba)
  bool gated_norm = true;    // kMamba2: a norm before the output projection

  bool IsNone() const { return kind == RecurrentKind::kNone; }
  std::int64_t Inner() const { return heads * head_dim; }
  // Channels that the convolution runs over.
  std::int64_t ConvolvedChannels() const;
  // Numbers kept for one sequence, whatever its length.
  std::int64_t StateNumbers() const { return heads * head_dim * state_dim; }
  std::int64_t ConvolutionNumbers() const {
    return taps > 0 ? (taps - 1) * ConvolvedChannels() : 0;
  }
  friend bool operator==(const RecurrentLayer&, const RecurrentLayer&) = default;
};

struct FfnLayer {
  std::int64_t width = 0;  // of a dense layer, or of one expert; 0 = the layer has no FFN
  bool gated = true;       // two matrices in, one out; else one in, one out
  bool bias = false;
  std::int64_t experts = 0;  // 0 = dense
  std::int64_t experts_per_token = 0;
  // Experts work in a space of this width between two projections that they share, 0 = in hidden
  // (Nemotron 3 Super). Router and shared experts stay in hidden.
  std::int64_t expert_hidden = 0;
  std::int64_t shared_width = 0;  // of all shared experts together, 0 = none
  bool shared_gate = false;       // a sigmoid gate on the shared expert (Qwen MoE)
  bool router_bias = false;       // one number an expert (DeepSeek V3, gpt-oss)

  bool IsMoe() const { return experts > 0; }
  bool IsNone() const { return width == 0; }
  friend bool operator==(const FfnLayer&, const FfnLayer&) = default;
};

struct Layer {
  AttentionLayer attention;
  RecurrentLayer recurrent;
  FfnLayer ffn;
  std::int64_t norms = 2;    // with weights, over the hidden size: 2, 1 (parallel), 4 (Gemma)
  bool norm_bias = false;    // LayerNorm instead of RMSNorm
  bool parallel = false;     // attention and FFN read the same input; one sum at the end
  std::int64_t scalars = 0;  // other learned numbers, on every rank (Gemma 4's scales)
  std::int32_t storage = 0;  // which of Quantisation::choices its tensors are stored by

  friend bool operator==(const Layer&, const Layer&) = default;
};

}  // namespace roofcast
