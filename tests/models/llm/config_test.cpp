// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config.h"
#include "core/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/text.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::kQwenMoe;
using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

TEST_CASE("a config becomes a layer table with one kind for equal layers") {
  const Llm llm = Parse(kLlama);
  CHECK(llm.name == "test");
  CHECK(llm.model_type == "llama");
  CHECK(llm.place == "config.json");
  CHECK(llm.LayerCount() == 32);
  REQUIRE(llm.kinds.size() == 1);
  CHECK(llm.kinds[0].attention.head_dim == 128);
  CHECK(llm.kinds[0].attention.kv_heads == 8);
  CHECK(llm.max_length == 0);
  CHECK(llm.dtype == DType::kBf16);
}

TEST_CASE("an unknown model_type is refused by name") {
  const std::string known_types = JoinWithOr(KnownModelTypes());
  CHECK(MessageOf(With(kLlama, "\"llama\"", "\"elmo\"")) ==
        "config.json:2:17: model_type: 'elmo' is not understood; known: " + known_types);
  CHECK(MessageOf(With(kLlama, "\"llama\"", "null")) ==
        "config.json:2:17: model_type: null is not understood; known: " + known_types);
  CHECK(MessageOf("{}").starts_with("config.json:1:1: 'model_type' is missing; known: "));
  CHECK(MessageOf("[1]") == "config.json:1:1: a list is not a config.json");
  const auto known = KnownModelTypes();
  CHECK(std::is_sorted(known.begin(), known.end()));
}

TEST_CASE("a missing KV-head key is never taken for one KV head a query head") {
  CHECK(MessageOf(With(kLlama, "  \"num_key_value_heads\": 8,\n", "")) ==
        "config.json:1:1: 'num_key_value_heads' is missing; add it: as many as "
        "num_attention_heads if every query head has its own");
}

TEST_CASE("a misspelt key is refused together with what is then missing") {
  CHECK(MessageOf(With(kLlama, "num_key_value_heads", "num_key_value_head")) ==
        "config.json:1:1: 'num_key_value_heads' is missing; add it: as many as "
        "num_attention_heads if every query head has its own\n"
        "config.json:7:3: num_key_value_head: not understood, and it may shape the model; did you "
        "mean 'num_key_value_heads'?");
}

TEST_CASE("null is not a missing key with a default") {
  CHECK(MessageOf(With(kLlama, "14336", "null")) ==
        "config.json:4:24: intermediate_size: null is not a whole number");
  CHECK(MessageOf(With(kLlama, "_value_heads\": 8", "_value_heads\": null")) ==
        "config.json:7:26: num_key_value_heads: null is not a whole number");
}

TEST_CASE("dims that are no sizes are refused") {
  const auto hidden = [](const char* value) { return MessageOf(With(kLlama, "4096", value)); };
  CHECK(hidden("-4096") == "config.json:3:18: hidden_size: -4096 is not positive");
  CHECK(hidden("0") == "config.json:3:18: hidden_size: 0 is not positive");
  CHECK(hidden("4096.0") == "config.json:3:18: hidden_size: 4096.0 is not a whole number");
  CHECK(hidden("4e3") == "config.json:3:18: hidden_size: 4e3 is not a whole number");
  CHECK(hidden("Infinity") == "config.json:3:18: hidden_size: Infinity is not a whole number");
  CHECK(hidden("NaN") == "config.json:3:18: hidden_size: NaN is not a whole number");
  CHECK(hidden("true") == "config.json:3:18: hidden_size: true is not a whole number");
  CHECK(hidden("[4096]") == "config.json:3:18: hidden_size: a list is not a whole number");
  CHECK(hidden("\"4096\"") ==
        "config.json:3:18: hidden_size: '4096' is not a whole number; write it without quotes");
  CHECK(hidden("4096000000000") ==
        "config.json:3:18: hidden_size: 4096000000000 is more than 1000000000, the most allowed");
  CHECK(hidden("99999999999999999999") ==
        "config.json:3:18: hidden_size: 99999999999999999999 is more than 1000000000, the most "
        "allowed");
  CHECK(MessageOf(With(kLlama, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 10001")) ==
        "config.json:5:24: num_hidden_layers: 10001 is more than 10000, the most allowed");
}

TEST_CASE("sizes that are allowed alone but absurd together are refused") {
  const std::string text = With(
      With(kLlama, "4096", "1000000000"), "\"vocab_size\": 128256", "\"vocab_size\": 999999999");
  CHECK(MessageOf(text) ==
        "config.json:1:1: these sizes make more than 10^15 parameters; check them");
}

TEST_CASE("heads that don't divide are refused") {
  CHECK(MessageOf(With(kLlama, "_value_heads\": 8", "_value_heads\": 5")) ==
        "config.json:7:26: num_key_value_heads: 5 does not divide num_attention_heads 32");
  const std::string text = With(kLlama, "attention_heads\": 32", "attention_heads\": 24");
  CHECK(MessageOf(text) ==
        "config.json:6:26: num_attention_heads: 24 does not divide hidden_size 4096, and there is "
        "no head_dim; add head_dim");
  CHECK(MessageOf(Plus(text, "\"head_dim\": 128")) == "");
}

TEST_CASE("all problems of a config are told at once") {
  const std::string text = With(With(kLlama, "4096", "-1"), "128256", "\"many\"");
  CHECK(MessageOf(text) ==
        "config.json:3:18: hidden_size: -1 is not positive\n"
        "config.json:8:17: vocab_size: 'many' is not a whole number; write it without quotes");
}

TEST_CASE("a key that may shape the model and that nobody reads is refused") {
  const auto with = [](const char* key) { return MessageOf(Plus(kLlama, key)); };
  CHECK(with("\"block_configs\": [{}]") ==
        "config.json:9:3: block_configs: not understood, and it may shape the model; remove it if "
        "no tensor depends on it");
  CHECK(with("\"sliding_window\": 4096").starts_with("config.json:9:3: sliding_window: not "));
  CHECK(with("\"num_nextn_predict_layers\": 1").starts_with("config.json:9:3: num_nextn"));
  CHECK(with("\"vision_config\": {\"depth\": 2}").starts_with("config.json:9:3: vision_config: "));
}

TEST_CASE("keys that are switched off or shape nothing are taken") {
  for (const char* key : {"\"sliding_window\": null",
                          "\"num_nextn_predict_layers\": 0",
                          "\"qkv_bias\": false",
                          "\"mlp_only_layers\": []",
                          "\"rope_scaling\": {\"factor\": 8.0}",
                          "\"num_beams\": 1",
                          "\"hidden_act\": \"silu\"",
                          "\"rms_norm_eps\": 1e-05",
                          "\"_name_or_path\": \"/x\"",
                          "\"clip_limit\": [0.0, Infinity, -Infinity, NaN]",
                          "\"pretraining_tp\": 1"}) {
    CAPTURE(key);
    CHECK(MessageOf(Plus(kLlama, key)) == "");
  }
}

TEST_CASE("two spellings of a key must agree") {
  CHECK(MessageOf(Plus(kQwenMoe, "\"num_local_experts\": 128")) == "");
  CHECK(MessageOf(Plus(kQwenMoe, "\"num_local_experts\": 64")) ==
        "config.json:13:24: num_local_experts: 64 contradicts num_experts, which is 128; keep one "
        "of them");
}

TEST_CASE("a misspelt key that has a default is refused, whatever its words are") {
  for (const char* key : {"\"headdim\": 128",
                          "\"head dim\": 128",
                          "\"_head_dim\": 128",
                          "\"hea_ddim\": 128",
                          "\"torchDtype\": \"float16\"",
                          "\"quantizationconfig\": {\"quant_method\": \"fp8\"}",
                          "\"tie_word_embedings\": true"}) {
    CAPTURE(key);
    CHECK(MessageOf(Plus(kLlama, key)).find("did you mean") != std::string::npos);
  }
}

TEST_CASE("only models with a language-model head are taken") {
  CHECK(MessageOf(Plus(kLlama, "\"architectures\": [\"LlamaForCausalLM\"]")) == "");
  CHECK(MessageOf(Plus(kLlama, "\"architectures\": [\"LlamaForSequenceClassification\"]")) ==
        "config.json:9:20: architectures: 'LlamaForSequenceClassification' is not understood; "
        "known: names that end in ForCausalLM, ForConditionalGeneration, LMHeadModel, "
        "ChatGLMModel or InternVLChatModel");
}

TEST_CASE("the number format is read under both of its names") {
  CHECK(Parse(Plus(kLlama, "\"torch_dtype\": \"float16\"")).dtype == DType::kFp16);
  CHECK(Parse(Plus(kLlama, "\"dtype\": \"float32\"")).dtype == DType::kFp32);
  CHECK(MessageOf(Plus(kLlama, "\"torch_dtype\": \"posit8\"")) ==
        "config.json:9:18: torch_dtype: 'posit8' is not a known number format; write bfloat16, "
        "float16 or float32");
}

TEST_CASE("flags must be true or false") {
  CHECK(MessageOf(Plus(kLlama, "\"tie_word_embeddings\": \"yes\"")) ==
        "config.json:9:26: tie_word_embeddings: 'yes' is not true or false");
  CHECK(MessageOf(Plus(kLlama, "\"attention_bias\": null")) ==
        "config.json:9:21: attention_bias: null is not true or false");
}

TEST_CASE("text that is not JSON is refused with line and column") {
  CHECK(MessageOf(kLlama.substr(0, 60)).starts_with("config.json:4:"));
  CHECK(MessageOf(With(kLlama, "4096,", "4096,\n  \"hidden_size\": 4096,")) ==
        "config.json:4:3: 'hidden_size' is given twice; keep one of them");
  CHECK(MessageOf("{\"model_type\": " + std::string(100, '[') + std::string(100, ']') + "}") ==
        "config.json:1:79: nested deeper than 64 levels; flatten it");
  CHECK(MessageOf("").starts_with("config.json: is empty"));
  CHECK(MessageOf(std::string(3'000'000, ' ')) ==
        "config.json: larger than 2 MiB; give a config.json");
  CHECK(MessageOf("{\"model_type\": \"\xFF\"}") != "");
}

TEST_CASE("every prefix of a config is refused without a crash") {
  for (std::size_t length = 0; length < kQwenMoe.size(); ++length) {
    CHECK(MessageOf(kQwenMoe.substr(0, length)) != "");
  }
}

TEST_CASE("keys in another spelling are not passed over") {
  for (const std::string_view key : {"hiddenSize",
                                     "hidden-size",
                                     "HIDDEN_SIZE",
                                     "d_model",
                                     "qk_layernorm",
                                     "add_cross_attention",
                                     "attn_output_gate"}) {
    CAPTURE(key);
    const std::string message = MessageOf(Plus(kLlama, "\"" + std::string(key) + "\": 4096"));
    CHECK(message.find(key) != std::string::npos);
  }
  CHECK(MessageOf(Plus(kLlama, "\"auto_map\": {\"AutoConfig\": \"x.Y\"}")) == "");
}

TEST_CASE("NaN is a word of its own, or no JSON") {
  CHECK(MessageOf(Plus(kLlama, "\"rope_theta\": NaN")) == "");
  for (const std::string_view value : {"1NaN", "NaN5", "3Infinity"}) {
    CAPTURE(value);
    CHECK(MessageOf(Plus(kLlama, "\"rope_theta\": " + std::string(value))) != "");
  }
}

}  // namespace roofcast
