// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

// Multi-head latent attention and what DeepSeek's descendants share.
namespace roofcast {

// Queries are compressed to q_lora_rank; null says that they are not.
enum class QueryRankRule : std::uint8_t {
  kSaid,      // the file must say it, if only null
  kOptional,  // a missing key says the same as null
};
// MLA keeps one latent a token, whatever num_key_value_heads says; head_dim is what some versions
// of transformers call the rotated part.
AttentionLayer ReadLatentAttention(ConfigReader& text, QueryRankRule rule);
// DSA: index_n_heads, index_head_dim and index_topk.
void ReadIndexer(ConfigReader& text, AttentionLayer& attention);

// n_routed_experts of moe_intermediate_size, with n_shared_experts as wide.
FfnLayer ReadDeepseekMoe(ConfigReader& text);
// Whether a layer has experts: from first_k_dense_replace on, each moe_layer_freq-th.
struct DenseFirst {
  std::int64_t first_moe = 0;
  std::int64_t every = 1;
  bool IsMoe(std::int64_t layer) const { return layer >= first_moe && layer % every == 0; }
};
DenseFirst ReadDenseFirst(ConfigReader& text);
// num_nextn_predict_layers, 0 when absent.
std::int64_t ReadMtpModules(ConfigReader& text);

}  // namespace roofcast
