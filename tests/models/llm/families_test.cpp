// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::kQwenMoe;
using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

// One letter a layer: f(ull), s(liding), l(atent).
std::string Kinds(const Llm& llm) {
  std::string kinds;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    kinds += NameOf(llm.LayerAt(i).attention.kind)[0];
  }
  return kinds;
}

// d(ense) or m(oe).
std::string Ffns(const Llm& llm) {
  std::string kinds;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    kinds += llm.LayerAt(i).ffn.IsMoe() ? 'm' : 'd';
  }
  return kinds;
}

std::string AsQwen2(int layers) {
  const std::string text = With(kLlama, "\"llama\"", "\"qwen2\"");
  return With(text, "layers\": 32", "layers\": " + std::to_string(layers));
}

constexpr std::string_view kGemma3 = R"({
  "model_type": "gemma3",
  "text_config": {
    "hidden_size": 2560,
    "intermediate_size": 10240,
    "model_type": "gemma3_text",
    "num_hidden_layers": 34,
    "sliding_window": 1024
  },
  "vision_config": {
    "hidden_size": 1152,
    "image_size": 896,
    "intermediate_size": 4304,
    "model_type": "siglip_vision_model",
    "num_attention_heads": 16,
    "num_hidden_layers": 27,
    "patch_size": 14,
    "vision_use_head": false
  }
})";

constexpr std::string_view kDeepseek = R"({
  "model_type": "deepseek_v3",
  "hidden_size": 512,
  "intermediate_size": 1024,
  "moe_intermediate_size": 128,
  "num_hidden_layers": 4,
  "num_attention_heads": 8,
  "q_lora_rank": 96,
  "kv_lora_rank": 64,
  "qk_nope_head_dim": 32,
  "qk_rope_head_dim": 16,
  "v_head_dim": 24,
  "n_routed_experts": 16,
  "n_shared_experts": 2,
  "num_experts_per_tok": 4,
  "first_k_dense_replace": 1,
  "vocab_size": 1000
})";

}  // namespace

TEST_CASE("llama: attention_bias and mlp_bias reach every linear layer") {
  const std::int64_t plain = CountParameters(Parse(kLlama)).total;
  const std::int64_t q = 4096;
  const std::int64_t kv = 1024;
  const std::int64_t biased =
      CountParameters(Parse(Plus(kLlama, "\"attention_bias\": true"))).total;
  CHECK(biased == plain + 32 * (q + 2 * kv + 4096));
  const std::int64_t ffn = CountParameters(Parse(Plus(kLlama, "\"mlp_bias\": true"))).total;
  CHECK(ffn == plain + std::int64_t{32} * (2 * 14336 + 4096));
}

TEST_CASE("llama: rotary buffers are in what transformers before 4.32 saved") {
  const auto extras = [](const char* version) {
    return Parse(Plus(kLlama, "\"transformers_version\": \"" + std::string(version) + "\""))
        .extra_parameters;
  };
  CHECK(extras("4.31.0.dev0").at("rotary buffers") == 32 * 64);
  CHECK(extras("4.32.0").empty());
  CHECK(extras("5.0.0").empty());
  CHECK(extras("unknown").empty());
}

TEST_CASE("qwen2: a window that is not used is none") {
  const std::string window = Plus(AsQwen2(4), "\"sliding_window\": 131072");
  CHECK(Kinds(Parse(window)) == "ffff");
  const std::string unused = Plus(window, "\"use_sliding_window\": false");
  CHECK(Kinds(Parse(Plus(unused, "\"max_window_layers\": 2"))) == "ffff");
  const std::string used = Plus(window, "\"use_sliding_window\": true");
  CHECK(Kinds(Parse(Plus(used, "\"max_window_layers\": 3"))) == "fffs");
  CHECK(MessageOf(used) == "config.json:1:1: 'max_window_layers' is missing; add it");
  CHECK(MessageOf(Plus(AsQwen2(4), "\"use_sliding_window\": true,\n  \"max_window_layers\": 3")) ==
        "config.json:1:1: 'sliding_window' is missing; add it");
}

TEST_CASE("layer_types says more than the other keys, and must fit them") {
  const std::string used =
      Plus(AsQwen2(3), "\"use_sliding_window\": true,\n  \"sliding_window\": 64");
  CHECK(Kinds(Parse(Plus(used,
                         "\"layer_types\": [\"sliding_attention\", \"full_attention\", "
                         "\"sliding_attention\"]"))) == "sfs");
  CHECK(MessageOf(Plus(used, "\"layer_types\": [\"full_attention\"]")) ==
        "config.json:11:18: layer_types: 1 entries for 3 layers; give one entry a layer");
  CHECK(MessageOf(Plus(used,
                       "\"layer_types\": [\"full_attention\", \"linear_attention\", "
                       "\"full_attention\"]")) ==
        "config.json:11:37: layer_types[1]: 'linear_attention' is not understood; known: "
        "full_attention or sliding_attention");
  CHECK(MessageOf(Plus(AsQwen2(1), "\"layer_types\": [\"sliding_attention\"]")) ==
        "config.json:9:19: layer_types[0]: slides, but the config has no window; add the window or "
        "write full_attention");
}

TEST_CASE("qwen3: head_dim must be said") {
  CHECK(MessageOf(With(kQwenMoe, "  \"head_dim\": 128,\n", "")) ==
        "config.json:1:1: 'head_dim' is missing; add it");
}

TEST_CASE("qwen3_moe: dense layers stand where the step and the list put them") {
  CHECK(Ffns(Parse(kQwenMoe)) == "mmmm");
  CHECK(Ffns(Parse(Plus(kQwenMoe, "\"decoder_sparse_step\": 2"))) == "dmdm");
  const std::string listed = Plus(kQwenMoe, "\"mlp_only_layers\": [0, 3]");
  CHECK(Ffns(Parse(listed)) == "dmmd");
  CHECK(Parse(listed).LayerAt(0).ffn.width == 6144);
  CHECK(MessageOf(With(listed, "  \"intermediate_size\": 6144,\n", "")) ==
        "config.json:1:1: 'intermediate_size' is missing; add it");
  CHECK(MessageOf(With(kQwenMoe, "per_tok\": 8", "per_tok\": 129")) ==
        "config.json:11:26: num_experts_per_tok: 129 of 128 experts a token");
}

TEST_CASE("qwen2_moe: a shared expert with a gate of its own, and biases on q, k and v") {
  const std::string text =
      Plus(With(With(kQwenMoe, "qwen3_moe", "qwen2_moe"), "128,\n  \"num_exp", "64,\n  \"num_exp"),
           "\"shared_expert_intermediate_size\": 5632");
  const Layer layer = Parse(text).kinds[0];
  CHECK(layer.ffn.shared_width == 5632);
  CHECK(layer.ffn.shared_gate);
  CHECK(layer.attention.qkv_bias);
  CHECK_FALSE(layer.attention.output_bias);
  CHECK(layer.attention.query_key_norm == QueryKeyNorm::kNone);
}

TEST_CASE("mistral: the window holds for all layers, and its absence must be said") {
  const std::string text = With(kLlama, "\"llama\"", "\"mistral\"");
  const Llm llm = Parse(Plus(text, "\"sliding_window\": 4096"));
  CHECK(llm.kinds.size() == 1);
  CHECK(llm.kinds[0].attention.window == 4096);
  CHECK(Parse(Plus(text, "\"sliding_window\": null")).kinds[0].attention.kind ==
        AttentionKind::kFull);
  CHECK(MessageOf(text) ==
        "config.json:1:1: 'sliding_window' is missing; add it: null if every token sees the whole "
        "prefix");
}

TEST_CASE("gemma2: attention alternates and embeddings are tied without a word in the file") {
  const std::string text = Plus(With(kLlama, "\"llama\"", "\"gemma2\""),
                                "\"head_dim\": 256,\n  \"sliding_window\": 4096");
  const Llm llm = Parse(With(text, "layers\": 32", "layers\": 5"));
  CHECK(Kinds(llm) == "sfsfs");
  CHECK(llm.tied_embeddings);
  CHECK(llm.kinds[0].norms == 4);
  CHECK(llm.kinds[0].attention.query_key_norm == QueryKeyNorm::kNone);
}

TEST_CASE("gemma3: what a nested text_config leaves out is the class's") {
  const Llm llm = Parse(kGemma3);
  CHECK(CountParameters(llm).total == 3880263168);
  CHECK(CountParameters(llm).checkpoint_total == 4300079472);
  CHECK(Kinds(llm).substr(0, 13) == "sssssfsssssfs");
  CHECK(llm.LayerAt(0).attention.query_key_norm == QueryKeyNorm::kHead);
  CHECK(MessageOf(With(kGemma3, "\"sliding", "\"num_attention_heads\": 8,\n    \"sliding")) ==
        "config.json:3:18: text_config: 'num_key_value_heads' is missing; add it");
  CHECK(MessageOf(With(kGemma3, "\"sliding_window\": 1024", "\"sliding_windows\": 1024")) ==
        "config.json:3:18: text_config: 'sliding_window' is missing; add it\n"
        "config.json:8:5: text_config.sliding_windows: not understood, and it may shape the model; "
        "did you mean 'sliding_window'?");
}

TEST_CASE("gemma3: embeddings are untied where either level says so, the inner one first") {
  const std::string outer = Plus(kGemma3, "\"tie_word_embeddings\": false");
  CHECK(Parse(kGemma3).tied_embeddings);
  CHECK_FALSE(Parse(outer).tied_embeddings);
  CHECK(Parse(With(outer, "\"sliding", "\"tie_word_embeddings\": true,\n    \"sliding"))
            .tied_embeddings);
}

TEST_CASE("gemma3: another vision tower than SigLIP is refused") {
  CHECK(MessageOf(With(kGemma3, "siglip_vision_model", "clip")) ==
        "config.json:14:19: vision_config.model_type: 'clip' is not understood; known: "
        "siglip_vision_model");
  CHECK(MessageOf(With(kGemma3, "head\": false", "head\": true")) ==
        "config.json:18:24: vision_config.vision_use_head: only false is understood");
  CHECK(MessageOf(With(kGemma3, "\"text_config\"", "\"text\"")) ==
        "config.json:1:1: 'text_config' is missing; add it");
}

TEST_CASE("gpt_oss: sinks and biases, and a sliding layer first") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  CHECK(Kinds(llm).substr(0, 4) == "sfsf");
  const Layer& layer = llm.kinds[0];
  CHECK(layer.attention.window == 128);
  CHECK(layer.attention.sinks);
  CHECK(layer.attention.output_bias);
  CHECK(layer.ffn.bias);
  CHECK(layer.ffn.router_bias);
}

TEST_CASE("deepseek: latent attention ignores the KV heads that the file names") {
  const Llm llm = Parse(Plus(kDeepseek, "\"num_key_value_heads\": 3,\n  \"head_dim\": 16"));
  CHECK(Kinds(llm) == "llll");
  CHECK(Ffns(llm) == "dmmm");
  const AttentionLayer& attention = llm.kinds[0].attention;
  CHECK(attention.head_dim == 48);
  CHECK(attention.value_dim == 24);
  CHECK(attention.kv_heads == 8);
  CHECK(llm.kinds[1].ffn.shared_width == 256);
  CHECK(llm.kinds[1].ffn.router_bias);
  CHECK(KvBytesPerToken(llm, DType::kBf16).value() == 4 * (64 + 16) * 2);
}

TEST_CASE("deepseek: queries are uncompressed only where the file says so") {
  CHECK(Parse(With(kDeepseek, "96", "null")).kinds[0].attention.query_rank == 0);
  CHECK(MessageOf(With(kDeepseek, "  \"q_lora_rank\": 96,\n", "")) ==
        "config.json:1:1: 'q_lora_rank' is missing; add it: null if queries are not compressed");
  CHECK(MessageOf(With(kDeepseek, "  \"first_k_dense_replace\": 1,\n", "")) ==
        "config.json:1:1: 'first_k_dense_replace' is missing; add it");
}

TEST_CASE("deepseek: each MTP module is a layer with copies of embedding and head") {
  const Llm one = Parse(Plus(kDeepseek, "\"num_nextn_predict_layers\": 1"));
  const Llm two = Parse(Plus(kDeepseek, "\"num_nextn_predict_layers\": 2"));
  CHECK(two.extra_parameters.at("mtp") == 2 * one.extra_parameters.at("mtp"));
  CHECK(one.extra_bytes.at("mtp").value() ==
        // bf16, and the corrections of the 16 experts in fp32
        static_cast<double>(2 * one.extra_parameters.at("mtp") + std::int64_t{2} * 16));
  CHECK(Parse(kDeepseek).extra_parameters.empty());
}

TEST_CASE("deepseek: layers beyond 10^15 parameters or 100 MTP modules are refused") {
  CHECK(MessageOf(Plus(kDeepseek, "\"num_nextn_predict_layers\": 101")) ==
        "config.json:18:31: num_nextn_predict_layers: more than 100");
  CHECK(MessageOf(With(With(kDeepseek, "16,\n  \"n_sh", "1000000000,\n  \"n_sh"),
                       "128,\n  \"num",
                       "1000000000,\n  \"num")) ==
        "config.json:1:1: these sizes make more than 10^15 parameters; check them");
}

}  // namespace roofcast
