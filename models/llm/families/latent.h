// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

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
// DSA: index_n_heads, index_head_dim and index_topk, for every layer.
void ReadIndexer(ConfigReader& text, std::int64_t layers, AttentionLayer& attention);

// n_routed_experts of moe_intermediate_size, with n_shared_experts as wide.
FfnLayer ReadDeepseekMoe(ConfigReader& text);
// Which layers have experts: `mlp_layer_types` (dense or sparse) if given, else those from
// first_k_dense_replace on, each moe_layer_freq-th.
std::vector<bool> ReadMoeLayers(ConfigReader& text, std::int64_t layers);
// num_nextn_predict_layers, or num_mtp_layers as newer versions have it; 0 when absent.
std::int64_t ReadMtpModules(ConfigReader& text);

}  // namespace roofcast
