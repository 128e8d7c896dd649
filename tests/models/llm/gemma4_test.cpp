// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

constexpr std::string_view kGemma4 = R"({
  "model_type": "gemma4_text",
  "hidden_size": 512,
  "intermediate_size": 256,
  "num_hidden_layers": 7,
  "num_attention_heads": 8,
  "num_key_value_heads": 4,
  "num_global_key_value_heads": 2,
  "head_dim": 64,
  "global_head_dim": 128,
  "attention_k_eq_v": true,
  "hidden_size_per_layer_input": 0,
  "sliding_window": 1024,
  "vocab_size": 1000
})";

std::string Moe() {
  return Plus(kGemma4,
              "\"enable_moe_block\": true,\n  \"num_experts\": 16,\n  \"top_k_experts\": 2,\n  "
              "\"moe_intermediate_size\": 64");
}

}  // namespace

TEST_CASE("gemma4: full layers have heads of their own and no value projection") {
  const Llm llm = Parse(kGemma4);
  const AttentionLayer& sliding = llm.LayerAt(0).attention;
  const AttentionLayer& full = llm.LayerAt(5).attention;
  CHECK(sliding.kind == AttentionKind::kSliding);
  CHECK(sliding.kv_heads == 4);
  CHECK_FALSE(sliding.values_from_keys);
  CHECK(full.kind == AttentionKind::kFull);
  CHECK(full.head_dim == 128);
  CHECK(full.kv_heads == 2);
  CHECK(full.values_from_keys);
  CHECK(llm.LayerAt(6).attention == full);  // the last one always is
  // Without attention_k_eq_v the class keeps the number of KV heads.
  const Llm plain = Parse(With(kGemma4, "eq_v\": true", "eq_v\": false"));
  CHECK(plain.LayerAt(5).attention.kv_heads == 4);
}

TEST_CASE("gemma4: a dense part beside the experts, three norms and the router's scales more") {
  const Layer dense = Parse(kGemma4).LayerAt(0);
  CHECK(dense.norms == 4);
  CHECK(dense.scalars == 1);
  const Layer moe = Parse(Moe()).LayerAt(0);
  CHECK(moe.ffn.experts == 16);
  CHECK(moe.ffn.shared_width == 256);
  CHECK(moe.norms == 7);
  CHECK(moe.scalars == 1 + 512 + 16);
}

TEST_CASE("gemma4: the published total of the dense 31B model") {
  const Llm llm = Parse(R"({
  "model_type": "gemma4",
  "text_config": {
    "attention_k_eq_v": true,
    "global_head_dim": 512,
    "head_dim": 256,
    "hidden_size": 5376,
    "hidden_size_per_layer_input": 0,
    "intermediate_size": 21504,
    "model_type": "gemma4_text",
    "num_attention_heads": 32,
    "num_global_key_value_heads": 4,
    "num_hidden_layers": 60,
    "num_key_value_heads": 16,
    "sliding_window": 1024,
    "vocab_size": 262144
  },
  "vision_config": {
    "head_dim": 72,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_attention_heads": 16,
    "num_hidden_layers": 27,
    "num_key_value_heads": 16,
    "patch_size": 16,
    "position_embedding_size": 10240,
    "standardize": true
  }
})");
  CHECK(CountParameters(llm).checkpoint_total == 31273088876);
}

TEST_CASE("gemma4: what E2B and E4B add is refused by name") {
  CHECK(MessageOf(With(kGemma4, "input\": 0", "input\": 256")) ==
        "config.json:12:34: hidden_size_per_layer_input: per-layer embeddings are not modelled");
  CHECK(MessageOf(Plus(kGemma4, "\"num_kv_shared_layers\": 2"))
            .find("layers that borrow keys are not modelled") != std::string::npos);
  // The class takes 256 for a missing one.
  CHECK(MessageOf(With(kGemma4, "  \"hidden_size_per_layer_input\": 0,\n", ""))
            .find("'hidden_size_per_layer_input' is missing") != std::string::npos);
  CHECK(MessageOf(Plus(kGemma4, "\"use_bidirectional_attention\": \"all\""))
            .find("only vision or null") != std::string::npos);
}

TEST_CASE("gemma4: a list that ends with a sliding layer is not what the class makes of it") {
  std::string types;
  for (int i = 0; i < 7; ++i) types += i == 0 ? "\"sliding_attention\"" : ", \"sliding_attention\"";
  CHECK(MessageOf(Plus(kGemma4, "\"layer_types\": [" + types + "]"))
            .find("ends with a sliding layer") != std::string::npos);
}

}  // namespace roofcast
