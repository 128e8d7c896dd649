// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation/module_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace roofcast::internal {
namespace {

struct Row {
  Part part;
  std::string_view tensor;
  std::vector<std::string_view> modules;
};

// One row a tensor of models/llm/*_tensors.cpp that is multiplied.
const std::vector<Row>& Rows() {
  using P = Part;
  static const std::vector<Row> rows = {
      {P::kAttention,
       "q",
       {"self_attn.q_proj",
        "self_attn.qkv_proj",
        "self_attn.W_pack",
        "mixer.q_proj",
        "attention.q_proj",
        "attn.c_attn",
        "attn.Wqkv",
        "self_attention.query_key_value",
        "attention.query_key_value"}},
      {P::kAttention, "gate", {"self_attn.q_proj", "self_attn.gate_proj", "self_attn.g_proj"}},
      {P::kAttention,
       "k",
       {"self_attn.k_proj",
        "self_attn.qkv_proj",
        "self_attn.W_pack",
        "mixer.k_proj",
        "attention.k_proj",
        "attn.c_attn",
        "attn.Wqkv",
        "self_attention.query_key_value",
        "attention.query_key_value"}},
      {P::kAttention,
       "v",
       {"self_attn.v_proj",
        "self_attn.qkv_proj",
        "self_attn.W_pack",
        "mixer.v_proj",
        "attention.v_proj",
        "attn.c_attn",
        "attn.Wqkv",
        "self_attention.query_key_value",
        "attention.query_key_value"}},
      {P::kAttention,
       "o",
       {"self_attn.o_proj",
        "self_attn.dense",
        "self_attn.out_proj",
        "mixer.o_proj",
        "attention.o_proj",
        "attn.c_proj",
        "attn.out_proj",
        "self_attention.dense",
        "attention.dense"}},
      {P::kAttention, "q_a", {"self_attn.q_a_proj", "self_attn.fused_qkv_a_proj_with_mqa"}},
      {P::kAttention, "q_b", {"self_attn.q_b_proj"}},
      {P::kAttention, "kv_a", {"self_attn.kv_a_proj_with_mqa"}},
      {P::kAttention, "kv_b", {"self_attn.kv_b_proj"}},
      {P::kAttention, "index_q", {"self_attn.indexer.wq_b"}},
      {P::kAttention, "index_k", {"self_attn.indexer.wk"}},
      {P::kFfn,
       "gate",
       {"mlp.gate_proj",
        "mlp.gate_up_proj",
        "mlp.w1",
        "mlp.w2",
        "feed_forward.gate_proj",
        "feed_forward.w1",
        "shared_mlp.input_linear"}},
      {P::kFfn,
       "up",
       {"mlp.up_proj",
        "mlp.gate_up_proj",
        "mlp.fc1",
        "mlp.c_fc",
        "mlp.dense_h_to_4h",
        "fc1",
        "mixer.up_proj",
        "feed_forward.up_proj",
        "feed_forward.w3",
        "shared_mlp.input_linear"}},
      {P::kFfn,
       "down",
       {"mlp.down_proj",
        "mlp.fc2",
        "mlp.c_proj",
        "mlp.dense_4h_to_h",
        "fc2",
        "mixer.down_proj",
        "feed_forward.down_proj",
        "feed_forward.w2",
        "shared_mlp.output_linear"}},
      {P::kExperts,
       "expert_gate",
       {"mlp.experts.{}.gate_proj",
        "mlp.experts.gate_up_proj",
        "block_sparse_moe.experts.{}.w1",
        "feed_forward.experts.{}.gate_proj",
        "feed_forward.experts.gate_up_proj",
        "block_sparse_moe.input_linear"}},
      {P::kExperts,
       "expert_up",
       {"mlp.experts.{}.up_proj",
        "mlp.experts.gate_up_proj",
        "block_sparse_moe.experts.{}.w3",
        "feed_forward.experts.{}.up_proj",
        "feed_forward.experts.gate_up_proj",
        "mixer.experts.{}.up_proj",
        "block_sparse_moe.input_linear"}},
      {P::kExperts,
       "expert_down",
       {"mlp.experts.{}.down_proj",
        "mlp.experts.down_proj",
        "block_sparse_moe.experts.{}.w2",
        "feed_forward.experts.{}.down_proj",
        "feed_forward.experts.down_proj",
        "mixer.experts.{}.down_proj",
        "block_sparse_moe.output_linear"}},
      {P::kSharedExperts,
       "shared_gate",
       {"mlp.shared_experts.gate_proj",
        "mlp.shared_experts.gate_up_proj",
        "mlp.shared_expert.gate_proj",
        "mlp.shared_expert.gate_up_proj",
        "feed_forward.shared_expert.gate_proj",
        "shared_mlp.input_linear"}},
      {P::kSharedExperts,
       "shared_up",
       {"mlp.shared_experts.up_proj",
        "mlp.shared_experts.gate_up_proj",
        "mlp.shared_expert.up_proj",
        "mlp.shared_expert.gate_up_proj",
        "feed_forward.shared_expert.up_proj",
        "mixer.shared_experts.up_proj",
        "shared_mlp.input_linear"}},
      {P::kSharedExperts,
       "shared_down",
       {"mlp.shared_experts.down_proj",
        "mlp.shared_expert.down_proj",
        "feed_forward.shared_expert.down_proj",
        "mixer.shared_experts.down_proj",
        "shared_mlp.output_linear"}},
      {P::kRecurrent,
       "q",
       {"linear_attn.in_proj_qkvz",
        "linear_attn.in_proj_qkv",
        "self_attn.q_proj",
        "self_attn.qkv_proj"}},
      {P::kRecurrent,
       "k",
       {"linear_attn.in_proj_qkvz",
        "linear_attn.in_proj_qkv",
        "self_attn.k_proj",
        "self_attn.qkv_proj"}},
      {P::kRecurrent,
       "v",
       {"linear_attn.in_proj_qkvz",
        "linear_attn.in_proj_qkv",
        "self_attn.v_proj",
        "self_attn.qkv_proj"}},
      {P::kRecurrent,
       "ba",
       {"linear_attn.in_proj_ba", "linear_attn.in_proj_b", "linear_attn.in_proj_a"}},
      {P::kRecurrent,
       "z",
       {"linear_attn.in_proj_qkvz", "linear_attn.in_proj_z", "mamba.in_proj", "mixer.in_proj"}},
      {P::kRecurrent, "x", {"mamba.in_proj", "mixer.in_proj"}},
      {P::kRecurrent, "b", {"mamba.in_proj", "mixer.in_proj"}},
      {P::kRecurrent, "c", {"mamba.in_proj", "mixer.in_proj"}},
      {P::kRecurrent, "dt", {"mamba.in_proj", "mixer.in_proj"}},
      {P::kRecurrent, "x_proj", {"mamba.x_proj", "mixer.x_proj"}},
      {P::kRecurrent, "dt_proj", {"mamba.dt_proj", "mixer.dt_proj"}},
      {P::kRecurrent, "beta", {"self_attn.b_proj"}},
      {P::kRecurrent, "decay_a", {"self_attn.f_a_proj"}},
      {P::kRecurrent, "decay_b", {"self_attn.f_b_proj"}},
      {P::kRecurrent, "gate_a", {"self_attn.g_a_proj"}},
      {P::kRecurrent, "gate_b", {"self_attn.g_b_proj"}},
      {P::kRecurrent, "gate", {"self_attn.output_gate"}},
      {P::kRecurrent,
       "out",
       {"linear_attn.out_proj",
        "mamba.out_proj",
        "mixer.out_proj",
        "self_attn.o_proj",
        "self_attn.out_proj"}},
  };
  return rows;
}

}  // namespace

const std::vector<std::string_view>& ModuleNamesOf(const Tensor& tensor) {
  static const std::vector<std::string_view> none;
  for (const Row& row : Rows()) {
    if (row.part == tensor.part && row.tensor == tensor.name) return row.modules;
  }
  return none;
}

std::vector<std::string_view> LayerPrefixes(std::string_view pattern) {
  struct Prefix {
    std::string_view word;
    std::string_view prefix;
  };
  constexpr std::array kPrefixes = {
      Prefix{"language_model", "model.language_model.layers."},
      Prefix{"language_model", "language_model.model.layers."},
      Prefix{"backbone", "backbone.layers."},
      Prefix{"transformer", "transformer.h."},
      Prefix{"decoder", "model.decoder.layers."},
  };
  std::vector<std::string_view> prefixes;
  for (const Prefix& prefix : kPrefixes) {
    if (pattern.find(prefix.word) != std::string_view::npos) prefixes.push_back(prefix.prefix);
  }
  if (prefixes.empty()) prefixes.emplace_back("model.layers.");
  return prefixes;
}

bool NeverQuantised(std::string_view module) {
  constexpr std::array<std::string_view, 14> kWords = {"lm_head",
                                                       "embed_tokens",
                                                       "embed_out",
                                                       "gate",
                                                       "router",
                                                       "shared_expert_gate",
                                                       "conv1d",
                                                       "embeddings",
                                                       "wte",
                                                       "wpe",
                                                       "rotary_emb",
                                                       "weights_proj",
                                                       "e_score_correction_bias",
                                                       "output"};
  constexpr std::array<std::string_view, 9> kParts = {"vision",
                                                      "visual",
                                                      "multi_modal",
                                                      "audio",
                                                      "mm_projector",
                                                      "image",
                                                      "patch_embed",
                                                      "mtp",
                                                      "nextn"};
  if (module.starts_with("re:")) module.remove_prefix(3);
  for (const std::string_view part : kParts) {
    if (module.find(part) != std::string_view::npos) return true;
  }
  std::string name;
  for (std::size_t i = 0; i < module.size(); ++i) {
    const char c = module[i];
    const bool at_end =
        i + 1 == module.size() || module.find_first_not_of(".*^$\\", i) == std::string_view::npos;
    if (c == '.' && !at_end) name.clear();
    if (std::string_view(".*^$\\").find(c) == std::string_view::npos) name += c;
  }
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end() || name.ends_with("norm");
}

}  // namespace roofcast::internal
