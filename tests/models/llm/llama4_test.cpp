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

constexpr std::string_view kLlama4 = R"({
  "model_type": "llama4_text",
  "hidden_size": 512,
  "intermediate_size": 128,
  "intermediate_size_mlp": 256,
  "num_hidden_layers": 8,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 64,
  "num_local_experts": 16,
  "num_experts_per_tok": 1,
  "interleave_moe_layer_step": 2,
  "attention_chunk_size": 8192,
  "vocab_size": 1000
})";

// c(hunked) or f(ull), then d(ense) or m(oe), a layer.
std::string Layers(std::string_view text) {
  const Llm llm = Parse(text);
  std::string layers;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    const Layer& layer = llm.LayerAt(i);
    layers += NameOf(layer.attention.kind)[0];
    layers += layer.ffn.IsMoe() ? "m " : "d ";
  }
  return layers;
}

}  // namespace

TEST_CASE("llama4: each fourth layer sees everything, and MoE layers come in steps") {
  CHECK(Layers(kLlama4) == "cd cm cd fm cd cm cd fm ");
  CHECK(Layers(With(kLlama4, "step\": 2", "step\": 1")) == "cm cm cm fm cm cm cm fm ");
  CHECK(Layers(Plus(kLlama4, "\"no_rope_layer_interval\": 2")) == "cd fm cd fm cd fm cd fm ");
  CHECK(Layers(With(kLlama4, "8192", "null")) == "fd fm fd fm fd fm fd fm ");
  const Llm llm = Parse(kLlama4);
  CHECK(llm.LayerAt(0).attention.window == 8192);
  CHECK(llm.LayerAt(3).attention.window == 0);
  CHECK(llm.LayerAt(0).ffn.width == 256);
  CHECK(llm.LayerAt(1).ffn.shared_width == 128);
  CHECK(llm.LayerAt(0).attention.query_key_norm == QueryKeyNorm::kNone);
}

TEST_CASE("llama4: lists say more than steps") {
  CHECK(Layers(Plus(kLlama4, "\"moe_layers\": [0, 7]")) == "cm cd cd fd cd cd cd fm ");
  CHECK(Layers(Plus(kLlama4, "\"no_rope_layers\": [0, 1, 1, 1, 1, 1, 1, 1]")) ==
        "fd cm cd cm cd cm cd cm ");
  CHECK(Layers(Plus(kLlama4, "\"no_rope_layers\": []")) == Layers(kLlama4));
  CHECK(MessageOf(Plus(kLlama4, "\"moe_layers\": [8]")).find("moe_layers: no layer 8") !=
        std::string::npos);
  CHECK(MessageOf(Plus(kLlama4, "\"no_rope_layers\": [1]")).find("1 entries for 8 layers") !=
        std::string::npos);
  CHECK(MessageOf(Plus(kLlama4, "\"layer_types\": [\"chunked_attention\"]"))
            .find("1 entries for 8 layers") != std::string::npos);
}

TEST_CASE("llama4: what sets a shape has to be there") {
  CHECK(MessageOf(With(kLlama4, "  \"intermediate_size_mlp\": 256,\n", "")) ==
        "config.json:1:1: 'intermediate_size_mlp' is missing; add it");
  CHECK(MessageOf(With(kLlama4, "  \"interleave_moe_layer_step\": 2,\n", "")) ==
        "config.json:1:1: 'interleave_moe_layer_step' is missing; add it");
  CHECK(MessageOf(With(kLlama4, "  \"attention_chunk_size\": 8192,\n", ""))
            .find("'attention_chunk_size' is missing") != std::string::npos);
}

}  // namespace roofcast
