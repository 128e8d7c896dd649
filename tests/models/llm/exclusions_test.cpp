// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "models/llm/quantisation.h"
#include "models/llm/quantisation/name_pattern.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using internal::NamePattern;
using test::kLlama;
using test::kQwenMoe;
using test::MessageOf;
using test::Parse;
using test::Plus;

namespace {

std::string Fp8(std::string_view model, const std::string& left_out) {
  return Plus(model,
              R"("quantization_config": {"quant_method": "fp8",
"modules_to_not_convert": [)" +
                  left_out + "]}");
}

// The shapes of Kimi-K2 with more keys.
std::string Kimi(const std::string& keys) {
  return R"({"model_type": "kimi_k2", "hidden_size": 7168, "intermediate_size": 18432,
      "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 64,
      "num_key_value_heads": 64, "n_routed_experts": 384, "n_shared_experts": 1,
      "num_experts_per_tok": 8, "first_k_dense_replace": 1, "moe_layer_freq": 1,
      "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
      "v_head_dim": 128, "vocab_size": 163840, )" +
         keys + "}";
}

// Names of the tensors of a layer that are stored narrow.
std::string Narrow(const Llm& llm, std::int64_t layer) {
  std::string names;
  for (const Tensor& tensor : LayerTensors(llm.LayerAt(layer), llm.hidden)) {
    if (IsQuantised(llm, tensor)) names += (names.empty() ? "" : " ") + std::string(tensor.name);
  }
  return names;
}

bool Matches(std::string_view pattern, std::string_view text) {
  const auto parsed = NamePattern::Parse(pattern);
  REQUIRE_MESSAGE(parsed.has_value(), pattern);
  return parsed->Matches(text);
}

}  // namespace

TEST_CASE("parts that a list leaves out stay wide, by whatever pattern they are named") {
  struct Row {
    std::string_view model;
    std::string left_out;
    std::string narrow;  // in layer 1
  };
  const Row rows[] = {
      {kLlama, R"("lm_head")", "q k v o gate up down"},
      {kLlama, R"("model.layers.1.self_attn")", "gate up down"},
      {kLlama, R"("self_attn")", "gate up down"},
      {kLlama, R"("model.layers.*.self_attn")", "gate up down"},
      {kLlama, R"("*self_attn*")", "gate up down"},
      {kLlama, R"("model.layers.1.mlp*")", "q k v o"},
      {kLlama, R"("re:.*self_attn.*")", "gate up down"},
      {kLlama, R"("re:.*self_attn\\.(q|k|v)_proj$")", "o gate up down"},
      {kLlama, R"("re:.*mlp\\.(gate|up|gate_up|down)_proj.*")", "q k v o"},
      {kLlama, R"("re:model\\.layers\\.[0-3]\\..*")", ""},
      {kLlama, R"("re:model\\.layers\\.\\d\\d\\..*")", "q k v o gate up down"},
      {kLlama,
       R"("model.layers.1.self_attn.q_proj", "model.layers.1.self_attn.qkv_proj")",
       "o gate up down"},
      {kLlama, R"("model.language_model.layers.1.self_attn.o_proj")", "q k v gate up down"},
      {kLlama, R"("model.layers.2.mlp", "model.layers.11.mlp")", "q k v o gate up down"},
      {kQwenMoe, R"("self_attn")", "expert_gate expert_up expert_down"},
      {kQwenMoe, R"("re:.*mlp.experts.*")", "q k v o"},
      {kQwenMoe, R"("model.layers.1.mlp.experts")", "q k v o"},
      {kQwenMoe,
       R"("re:.*mlp.gate$", "model.layers.1.mlp.gate")",
       "q k v o expert_gate expert_up expert_down"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.left_out);
    CHECK(Narrow(Parse(Fp8(row.model, row.left_out)), 1) == row.narrow);
  }
}

TEST_CASE("layers that differ in what they leave out are kinds of their own") {
  const Llm llm = Parse(Fp8(kLlama, R"("model.layers.0.mlp", "model.layers.31.mlp")"));
  CHECK(llm.kinds.size() == 2);
  CHECK(llm.KindCounts(0, 32) == std::vector<std::int64_t>{2, 30});
  CHECK(Narrow(llm, 0) == "q k v o");
  CHECK(Narrow(llm, 1) == "q k v o gate up down");
  const double mlp = 3.0 * 4096 * 14336;
  const double narrow = CountParameters(Parse(Fp8(kLlama, ""))).checkpoint_bytes.value();
  CHECK(CountParameters(llm).checkpoint_bytes.value() == narrow + 2 * (mlp - 3 * 4));
}

TEST_CASE("modules that no quantisation covers may be left out, unknown ones may not") {
  CHECK(MessageOf(Fp8(kLlama, R"("lm_head", "model.layers.0.input_layernorm",
      "model.layers.0.mlp.gate", "model.embed_tokens", "re:.*shared_expert_gate$",
      "vision_tower.encoder", "re:.*lm_head.*", "re:visual.*", "mtp.fc", "model.layers.32.eh_proj",
      "model.layers.0.linear_attn.conv1d")")) == "");
  CHECK(MessageOf(Fp8(kLlama, R"("model.layers.0.mlp.gate_projection", "model.side")")) ==
        "config.json:10:27: quantization_config.modules_to_not_convert: leaving out "
        "'model.layers.0.mlp.gate_projection' and 1 more is not understood");
  CHECK(MessageOf(Fp8(kLlama, R"("re:(?!x).*")")) ==
        "config.json:10:27: quantization_config.modules_to_not_convert: leaving out "
        "'re:(?!x).*' is not understood; write it without look-ahead and back-references");
  CHECK(
      MessageOf(Fp8(kQwenMoe, R"("model.layers.1.mlp.experts.7.up_proj")"))
          .find("'model.layers.1.mlp.experts.7.up_proj' means some experts of a layer; name all of "
                "them or none") != std::string::npos);
}

TEST_CASE("int4 experts of Kimi-K2-Thinking leave the rest at 16 bits") {
  const Llm llm = Parse(Kimi(R"("quantization_config": {
        "quant_method": "compressed-tensors", "format": "pack-quantized",
        "ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*",
                   "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"],
        "kv_cache_scheme": null, "quantization_status": "compressed",
        "config_groups": {"group_0": {"input_activations": null, "output_activations": null,
          "targets": ["Linear"], "weights": {"actorder": null, "block_structure": null,
            "dynamic": false, "group_size": 32, "num_bits": 4, "observer": "minmax",
            "observer_kwargs": {}, "strategy": "group", "symmetric": true, "type": "int"}}}})"));
  CHECK(Narrow(llm, 0) == "");
  CHECK(Narrow(llm, 1) == "expert_gate expert_up expert_down");
  const double matrices = 60.0 * 384 * 3;
  const double experts = matrices * 2048 * 7168;
  // Corrections of the routers are fp32.
  const double rest = 2 * (1026408232448.0 - experts) + 2 * 60 * 384;
  CHECK(CountParameters(llm).checkpoint_bytes.value() == experts * 4.5 / 8 + 16 * matrices + rest);
}

TEST_CASE("a layer beyond the last is the MTP module") {
  const auto bytes_of = [](const std::string& left_out) {
    const Llm llm = Parse(Kimi(
        R"("num_nextn_predict_layers": 1, "quantization_config": {"quant_method": "modelopt",
        "quant_algo": "NVFP4", "group_size": 16, "ignore": ["lm_head", "*self_attn*")" +
        left_out + "]}"));
    CHECK(Narrow(llm, 60) == "expert_gate expert_up expert_down shared_gate shared_up shared_down");
    return llm.extra_bytes.at("mtp").value();
  };
  // 384 experts and a shared one, of three matrices each.
  const double narrow = 385.0 * 3 * 2048 * 7168;
  const double more = narrow * (2 - 9.0 / 16) - 8 * 385 * 3;
  CHECK(bytes_of(", \"model.layers.61*\"") == bytes_of("") + more);
}

TEST_CASE("MiniMax-M2 takes what hf-mem reads from its files, within a thousandth") {
  // Its shapes and its list of modules; the README of alvarobartt/hf-mem: 230,121,630,720 B.
  const Llm llm = Parse(R"({"model_type": "qwen3_moe", "hidden_size": 3072,
      "intermediate_size": 1536, "moe_intermediate_size": 1536, "num_hidden_layers": 62,
      "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128, "num_experts": 256,
      "num_experts_per_tok": 8, "vocab_size": 200064, "quantization_config": {
        "quant_method": "fp8", "fmt": "float8_e4m3fn", "activation_scheme": "dynamic",
        "weight_block_size": [128, 128],
        "modules_to_not_convert": ["gate", "e_score_correction_bias", "lm_head"]}})");
  CHECK(CountParameters(llm).checkpoint_bytes.value() ==
        doctest::Approx(230'121'630'720.0).epsilon(1e-3));
}

TEST_CASE("patterns match as Python's re.match does") {
  CHECK(Matches("abc", "abcd"));
  CHECK_FALSE(Matches("abc", "xabc"));
  CHECK_FALSE(Matches("abc$", "abcd"));
  CHECK(Matches(".*b", "aaab"));
  CHECK(Matches("^a(b|cd)*e$", "abcdbe"));
  CHECK(Matches("a[0-9]+\\.b", "a12.b"));
  CHECK_FALSE(Matches("a[^0-9]b", "a1b"));
  CHECK(Matches("a\\d{2}b", "a12b"));
  CHECK_FALSE(Matches("a\\d{3,}b", "a12b"));
  CHECK(Matches("a\\w*?b?$", "axyz"));
  CHECK(Matches("", "x"));
  // All ways at once: no pattern takes exponential time.
  CHECK_FALSE(Matches("(a*)*(a*)*(a*)*b$", std::string(2000, 'a')));
  for (const char* pattern :
       {"(", ")", "a)", "[", "[]", "*", "a{", "a{2", "a{99}", "(?=a)", "\\1", "\\", "a|*"}) {
    CAPTURE(pattern);
    CHECK_FALSE(NamePattern::Parse(pattern).has_value());
  }
  const auto glob = NamePattern::ParseGlob("model.layers.1*");
  CHECK(glob->Matches("model.layers.10.mlp"));
  CHECK_FALSE(glob->Matches("model-layers.10.mlp"));
  CHECK_FALSE(NamePattern::ParseGlob("*.mlp")->Matches("model.layers.0.mlp.up"));
}

}  // namespace roofcast
