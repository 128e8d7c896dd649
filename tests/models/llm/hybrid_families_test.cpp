// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

// Layer tables of models with experts, latent, sparse or recurrent layers, and what is refused.
namespace roofcast {

using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

// One letter a layer: f(ull), s(liding), l(atent) attention, m(amba), m(amba2), g(ated delta),
// k(imi delta), l(ightning) in capitals; then - for a layer without FFN, d(ense) or e(xperts).
std::string Layers(const Llm& llm) {
  std::string text;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    const Layer& layer = llm.LayerAt(i);
    if (!layer.attention.IsNone()) text += NameOf(layer.attention.kind)[0];
    if (!layer.recurrent.IsNone()) {
      text += static_cast<char>(NameOf(layer.recurrent.kind)[0] - 'a' + 'A');
    }
    text += layer.ffn.IsNone() ? "- " : layer.ffn.IsMoe() ? "e " : "d ";
  }
  return text;
}

constexpr std::string_view kGlm = R"({
  "model_type": "glm4_moe",
  "hidden_size": 256,
  "intermediate_size": 512,
  "moe_intermediate_size": 128,
  "num_hidden_layers": 3,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 32,
  "n_routed_experts": 8,
  "n_shared_experts": 1,
  "num_experts_per_tok": 2,
  "first_k_dense_replace": 1,
  "vocab_size": 1000
})";

constexpr std::string_view kNemotron = R"({
  "model_type": "nemotron_h",
  "hidden_size": 256,
  "intermediate_size": 512,
  "num_hidden_layers": 4,
  "hybrid_override_pattern": "M-*E",
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 32,
  "mamba_num_heads": 16,
  "mamba_head_dim": 32,
  "n_groups": 4,
  "ssm_state_size": 64,
  "conv_kernel": 4,
  "n_routed_experts": 8,
  "num_experts_per_tok": 2,
  "moe_intermediate_size": 128,
  "moe_shared_expert_intermediate_size": 192,
  "vocab_size": 1000
})";

constexpr std::string_view kQwenNext = R"({
  "model_type": "qwen3_next",
  "hidden_size": 256,
  "intermediate_size": 512,
  "moe_intermediate_size": 128,
  "shared_expert_intermediate_size": 128,
  "num_hidden_layers": 4,
  "full_attention_interval": 4,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 32,
  "linear_num_key_heads": 4,
  "linear_num_value_heads": 8,
  "linear_key_head_dim": 32,
  "linear_value_head_dim": 64,
  "linear_conv_kernel_dim": 4,
  "num_experts": 8,
  "num_experts_per_tok": 2,
  "vocab_size": 1000
})";

constexpr std::string_view kMimo = R"({
  "model_type": "mimo_v2_flash",
  "hidden_size": 256,
  "intermediate_size": 512,
  "moe_intermediate_size": 128,
  "num_hidden_layers": 3,
  "hybrid_layer_pattern": [0, 1, 0],
  "moe_layer_freq": [0, 1, 1],
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 48,
  "v_head_dim": 32,
  "swa_num_attention_heads": 8,
  "swa_num_key_value_heads": 4,
  "swa_head_dim": 48,
  "swa_v_head_dim": 32,
  "sliding_window": 128,
  "add_swa_attention_sink_bias": true,
  "n_routed_experts": 8,
  "n_shared_experts": null,
  "num_experts_per_tok": 2,
  "vocab_size": 1000
})";

constexpr std::string_view kKimi = R"({
  "model_type": "kimi_linear",
  "hidden_size": 256,
  "intermediate_size": 512,
  "moe_intermediate_size": 128,
  "num_hidden_layers": 3,
  "num_attention_heads": 8,
  "q_lora_rank": null,
  "kv_lora_rank": 64,
  "qk_nope_head_dim": 32,
  "qk_rope_head_dim": 16,
  "v_head_dim": 32,
  "linear_attn_config": {
    "num_heads": 8,
    "head_dim": 32,
    "short_conv_kernel_size": 4,
    "kda_layers": [1, 2],
    "full_attn_layers": [3]
  },
  "num_experts": 8,
  "num_experts_per_token": 2,
  "num_shared_experts": 1,
  "first_k_dense_replace": 1,
  "model_max_length": 4096,
  "vocab_size": 1000
})";

constexpr std::string_view kJamba = R"({
  "model_type": "jamba",
  "hidden_size": 256,
  "intermediate_size": 512,
  "num_hidden_layers": 4,
  "attn_layer_period": 4,
  "attn_layer_offset": 2,
  "expert_layer_period": 2,
  "expert_layer_offset": 1,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "num_experts": 4,
  "num_experts_per_tok": 2,
  "mamba_d_state": 16,
  "mamba_d_conv": 4,
  "mamba_expand": 2,
  "mamba_dt_rank": 16,
  "vocab_size": 1000
})";

// Sizes that the small configs share.
constexpr std::int64_t kHidden = 256;
constexpr std::int64_t kHeadDim = 32;
constexpr std::int64_t kVocabulary = 1000;
// Of a module that predicts further tokens: a projection and three norms.
constexpr std::int64_t kMtpEnds = 2 * kHidden * kHidden + 3 * kHidden;

std::int64_t TotalOf(std::string_view text) {
  return CountParameters(Parse(text)).total;
}

}  // namespace

TEST_CASE("layers of each kind stand where the files put them") {
  CHECK(Layers(Parse(kGlm)) == "fd fe fe ");
  CHECK(Layers(Parse(kNemotron)) == "M- d f- e ");
  CHECK(Layers(Parse(kQwenNext)) == "Ge Ge Ge fe ");
  CHECK(Layers(Parse(kMimo)) == "fd se fe ");
  CHECK(Layers(Parse(kKimi)) == "Kd Ke le ");
  CHECK(Layers(Parse(kJamba)) == "Md Me fd Me ");
  CHECK(Layers(LoadLlm("falcon-h1-34b")).substr(0, 8) == "fMd fMd ");
  CHECK(Layers(LoadLlm("minimax-text-01")).substr(0, 24) == "Le Le Le Le Le Le Le fe ");
  CHECK(Layers(LoadLlm("granite-4.0-h-small")).substr(0, 21) == "Me Me Me Me Me fe Me ");
  CHECK(Layers(LoadLlm("mamba-2.8b")).substr(0, 6) == "M- M- ");
  CHECK(Layers(LoadLlm("ernie-4.5-300b-a47b")).substr(0, 12) == "fd fd fd fe ");
}

TEST_CASE("glm4_moe: biases, norms and MTP only where the file says so, and no output bias") {
  const std::int64_t plain = TotalOf(kGlm);
  CHECK(TotalOf(Plus(kGlm, "\"attention_bias\": true")) == plain + kHeadDim * 3 * (8 + 2 + 2));
  CHECK(TotalOf(Plus(kGlm, "\"use_qk_norm\": true")) == plain + kHeadDim * 3 * 2);
  const Llm mtp = Parse(Plus(kGlm, "\"num_nextn_predict_layers\": 1"));
  CHECK(CountParameters(mtp).total == plain);
  // One layer with experts, copies of embedding and head, projection and three norms.
  const std::int64_t layer = TotalOf(With(kGlm, "layers\": 3", "layers\": 4")) - plain;
  CHECK(mtp.extra_parameters.at("mtp") == layer + 2 * kVocabulary * kHidden + kMtpEnds);
}

TEST_CASE(
    "glm_moe_dsa: head_dim in the file is not the one of queries, and MTP shares embeddings") {
  const Llm llm = LoadLlm("glm-5");
  const AttentionLayer& attention = llm.kinds[0].attention;
  CHECK(attention.head_dim == 256);
  CHECK(attention.index_heads == 32);
  CHECK(attention.index_tokens == 2048);
  CHECK(llm.extra_parameters.at("mtp") ==
        LoadLlm("deepseek-v3.2").extra_parameters.at("mtp") - 13477385728 + 9952920576);
  CHECK(MessageOf(R"({"model_type": "glm_moe_dsa", "index_topk_freq": 4})").find("'index_topk'") !=
        std::string::npos);
}

TEST_CASE("nemotron_h: the pattern may be a text or a list, and every layer has one norm") {
  const std::string list =
      With(kNemotron,
           "\"hybrid_override_pattern\": \"M-*E\"",
           "\"layers_block_type\": [\"mamba\", \"mlp\", \"full_attention\", \"moe\"]");
  CHECK(Layers(Parse(list)) == Layers(Parse(kNemotron)));
  CHECK(TotalOf(list) == TotalOf(kNemotron));
  const Llm llm = Parse(kNemotron);
  for (const Layer& layer : llm.kinds) CHECK(layer.norms == 1);
  CHECK_FALSE(llm.kinds[1].ffn.gated);
  CHECK_FALSE(llm.kinds[3].ffn.gated);
  CHECK(llm.kinds[3].ffn.router_bias);
}

TEST_CASE("nemotron_h: experts in a narrower space have two more matrices, MTP layers a pattern") {
  const std::int64_t plain = TotalOf(kNemotron);
  // 8 experts of two matrices shrink from 256 to 64 inputs; two projections lead in and out.
  CHECK(TotalOf(Plus(kNemotron, "\"moe_latent_size\": 64")) ==
        plain - (kHidden - 64) * 8 * 2 * 128 + 2 * kHidden * 64);
  const Llm llm = Parse(Plus(
      kNemotron, "\"num_nextn_predict_layers\": 1,\n  \"mtp_hybrid_override_pattern\": \"*E\""));
  const std::int64_t layers =
      TotalOf(With(With(kNemotron, "M-*E", "M-*E*E"), "rs\": 4", "rs\": 6"));
  CHECK(llm.extra_parameters.at("mtp") == layers - plain + kMtpEnds);
  CHECK(MessageOf(Plus(kNemotron, "\"num_nextn_predict_layers\": 1")) ==
        "config.json:1:1: 'mtp_hybrid_override_pattern' is missing; add it: one letter a layer");
}

TEST_CASE("qwen3_next: a gate beside the queries, a shared expert with a gate, one MTP module") {
  const Llm llm = Parse(kQwenNext);
  CHECK(llm.kinds[1].attention.output_gate);
  CHECK(llm.kinds[1].attention.query_key_norm == QueryKeyNorm::kHead);
  CHECK(llm.kinds[0].ffn.shared_gate);
  CHECK(llm.kinds[0].recurrent.Inner() == 512);
  CHECK(llm.kinds[0].recurrent.ConvolvedChannels() == 512 + 2 * 128);
  CHECK(llm.kinds[0].recurrent.StateNumbers() == 8 * 64 * 32);
  CHECK(llm.extra_parameters.contains("mtp"));
  CHECK(Parse(Plus(kQwenNext, "\"num_nextn_predict_layers\": 0")).extra_parameters.empty());
  CHECK(Layers(Parse(Plus(kQwenNext,
                          "\"layer_types\": [\"full_attention\", \"linear_attention\", "
                          "\"linear_attention\", \"linear_attention\"]"))) == "fe Ge Ge Ge ");
  CHECK(MessageOf(With(kQwenNext, "  \"full_attention_interval\": 4,\n", "")) ==
        "config.json:1:1: 'full_attention_interval' is missing; add it, or layer_types");
}

TEST_CASE("mimo_v2_flash: sliding layers have heads and sinks of their own") {
  const Llm llm = Parse(kMimo);
  CHECK(llm.kinds[1].attention.kv_heads == 4);
  CHECK(llm.kinds[1].attention.sinks);
  CHECK_FALSE(llm.kinds[0].attention.sinks);
  CHECK(llm.kinds[1].attention.window == 128);
  CHECK(llm.kinds[0].attention.value_dim == 32);
  CHECK(KvBytesPerToken(llm, DType::kBf16).value() == 2.0 * (2 + 4 + 2) * (48 + 32));
}

TEST_CASE("kimi_linear: the length and the lists of layers go by names of their own") {
  CHECK(Parse(kKimi).max_length == 4096);
  CHECK(MessageOf(With(kKimi, "[1, 2]", "[1]")) ==
        "config.json:17:19: linear_attn_config.kda_layers: layer 2 stands in neither list; name "
        "each layer once, counted from 1");
  CHECK(MessageOf(With(kKimi, "[1, 2]", "[1, 2, 3]")) ==
        "config.json:18:25: linear_attn_config.full_attn_layers: layer 3 stands in both lists; "
        "name each layer once, counted from 1");
  CHECK(MessageOf(With(kKimi, "[1, 2]", "[0, 1, 2]")) ==
        "config.json:17:19: linear_attn_config.kda_layers: there is no layer 0; layers are 1 to 3");
  CHECK(MessageOf(Plus(kKimi, "\"attn_res_block_size\": 12"))
            .starts_with("config.json:26:3: attn_res_block_size: not understood"));
}

TEST_CASE("what newer versions of transformers write says the same") {
  const std::string flat = Plus(
      With(With(kKimi, "\"linear_attn_config\": {", "\"_was\": {"),
           "\"num_experts\"",
           "\"num_local_experts\""),
      "\"linear_num_heads\": 8,\n  \"linear_head_dim\": 32,\n  \"linear_conv_kernel_dim\": 4,\n"
      "  \"layer_types\": [\"linear_attention\", \"linear_attention\", \"full_attention\"],\n"
      "  \"mlp_layer_types\": [\"dense\", \"sparse\", \"sparse\"]");
  CHECK(Layers(Parse(flat)) == Layers(Parse(kKimi)));
  CHECK(TotalOf(flat) == TotalOf(kKimi));
  CHECK(MessageOf(With(flat, "\"sparse\", \"sparse\"", "\"sparse\", \"moe\"")) ==
        "config.json:30:42: mlp_layer_types[2]: 'moe' is not understood; known: dense or sparse");
  CHECK(Parse(Plus(kGlm, "\"num_mtp_layers\": 1")).extra_parameters ==
        Parse(Plus(kGlm, "\"num_nextn_predict_layers\": 1")).extra_parameters);
}

TEST_CASE("minimax_m2: modules that the checkpoint lacks aren't counted, other norms are refused") {
  const Llm llm = LoadLlm("minimax-m2");
  CHECK(llm.extra_parameters.size() == 1);  // scales
  CHECK(llm.kinds[0].attention.query_key_norm == QueryKeyNorm::kWhole);
  CHECK(llm.router_dtype == DType::kFp32);
}

TEST_CASE("patterns that don't fit the layers are refused with the entry") {
  CHECK(
      MessageOf(With(kNemotron, "M-*E", "M-*")) ==
      "config.json:6:30: hybrid_override_pattern: 3 entries for 4 layers; give one entry a layer");
  CHECK(MessageOf(With(kNemotron, "M-*E", "M-XE")) ==
        "config.json:6:30: hybrid_override_pattern: letter 3 is not understood; known: M "
        "(Mamba-2), * (attention), - (feed-forward) or E (experts)");
  CHECK(MessageOf(With(kMimo, "[0, 1, 0]", "[0, 2, 0]")) ==
        "config.json:7:31: hybrid_layer_pattern[1]: 2 is not understood; known: 0 or 1");
  CHECK(MessageOf(With(kMimo, "[0, 1, 1]", "[0, 1]")) ==
        "config.json:8:21: moe_layer_freq: 2 entries for 3 layers; give one entry a layer");
  CHECK(MessageOf(Plus(kQwenNext, "\"layer_types\": [\"mamba\"]")) ==
        "config.json:20:18: layer_types: 1 entries for 4 layers; give one entry a layer");
  CHECK(MessageOf(With(kJamba, "offset\": 2", "offset\": 4")) ==
        "config.json:7:24: attn_layer_offset: 4 is not below attn_layer_period, 4");
}

TEST_CASE("a renamed or missing head key of a grouped family is refused by its name") {
  for (const std::string_view text : {kGlm, kNemotron, kQwenNext, kMimo, kJamba}) {
    CAPTURE(text.substr(0, 40));
    CHECK(MessageOf(With(text, "\"num_key_value_heads\"", "\"num_kv_heads\""))
              .find("'num_key_value_heads' is missing") != std::string::npos);
    CHECK(MessageOf(With(text, "\"num_attention_heads\"", "\"num_heads\""))
              .find("'num_attention_heads' is missing") != std::string::npos);
  }
  CHECK(MessageOf(With(kNemotron, "\"mamba_num_heads\": 16,\n", ""))
            .find("'mamba_num_heads' is missing") != std::string::npos);
  CHECK(MessageOf(With(kMimo, "\"swa_num_key_value_heads\"", "\"swa_kv_heads\""))
            .find("'swa_num_key_value_heads' is missing") != std::string::npos);
  CHECK(MessageOf(R"({"model_type": "dbrx", "d_model": 64, "n_heads": 4, "n_layers": 2,
    "vocab_size": 10, "attn_config": {}, "ffn_config": {"ffn_hidden_size": 8,
    "moe_num_experts": 4, "moe_top_k": 2}})") ==
        "config.json:2:38: attn_config: 'kv_n_heads' is missing; add it");
}

TEST_CASE("groups that don't divide the recurrent heads and sizes that contradict are refused") {
  CHECK(MessageOf(With(kNemotron, "groups\": 4", "groups\": 3")) ==
        "config.json:12:15: n_groups: 3 does not divide the 16 recurrent heads");
  CHECK(MessageOf(With(kQwenNext, "key_heads\": 4", "key_heads\": 3")) ==
        "config.json:12:27: linear_num_key_heads: 3 does not divide the 8 recurrent heads");
  CHECK(MessageOf(R"({"model_type": "mamba2", "hidden_size": 64, "num_hidden_layers": 2,
    "num_heads": 4, "head_dim": 16, "n_groups": 2, "state_size": 8, "conv_kernel": 4,
    "expand": 2, "vocab_size": 10})") ==
        "config.json:2:18: num_heads: times head_dim is 64, not expand x hidden_size, 128");
}

}  // namespace roofcast
