// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

// What the dense families and the encoders read from keys of their own, and what they refuse.
namespace roofcast {

using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

constexpr std::string_view kFalcon = R"({
  "model_type": "falcon",
  "hidden_size": 512,
  "num_hidden_layers": 2,
  "num_attention_heads": 8,
  "multi_query": true,
  "vocab_size": 1000
})";

constexpr std::string_view kOpt = R"({
  "model_type": "opt",
  "hidden_size": 512,
  "ffn_dim": 2048,
  "num_hidden_layers": 2,
  "num_attention_heads": 8,
  "max_position_embeddings": 100,
  "vocab_size": 1000
})";

constexpr std::string_view kGpt2 = R"({
  "model_type": "gpt2",
  "n_embd": 512,
  "n_layer": 2,
  "n_head": 8,
  "n_positions": 100,
  "vocab_size": 1000
})";

constexpr std::string_view kBert = R"({
  "model_type": "bert",
  "hidden_size": 512,
  "intermediate_size": 2048,
  "num_hidden_layers": 2,
  "num_attention_heads": 8,
  "max_position_embeddings": 100,
  "vocab_size": 1000
})";

constexpr std::string_view kMpt = R"({
  "model_type": "mpt",
  "d_model": 512,
  "n_heads": 8,
  "n_layers": 2,
  "attn_config": {"attn_type": "multihead_attention"},
  "vocab_size": 1000
})";

constexpr std::string_view kNas = R"({
  "model_type": "nemotron-nas",
  "hidden_size": 768,
  "num_hidden_layers": 3,
  "num_attention_heads": 8,
  "num_key_value_heads": null,
  "intermediate_size": null,
  "block_configs": [
    {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 2.625}},
    {"attention": {"replace_with_linear": true}, "ffn": {"no_op": true}},
    {"attention": {"no_op": true}, "ffn": {"ffn_mult": 0.1}}
  ],
  "vocab_size": 1000
})";

std::string AsPhi3() {
  return With(test::kLlama, "\"llama\"", "\"phi3\"");
}

}  // namespace

TEST_CASE("falcon: the KV heads of each generation, never by default") {
  CHECK(Parse(kFalcon).kinds[0].attention.kv_heads == 1);
  CHECK(Parse(Plus(kFalcon, "\"num_kv_heads\": 8")).kinds[0].attention.kv_heads == 1);
  CHECK(Parse(With(kFalcon, "true", "false")).kinds[0].attention.kv_heads == 8);
  CHECK(MessageOf(With(kFalcon, "  \"multi_query\": true,\n", "")) ==
        "config.json:1:1: 'multi_query' is missing; add it: true if all query heads share one KV "
        "head");
  CHECK(MessageOf(Plus(kFalcon, "\"num_kv_heads\": 2")) ==
        "config.json:8:19: num_kv_heads: contradicts multi_query, which is one KV head without "
        "new_decoder_architecture; add new_decoder_architecture if heads are grouped");
  const std::string grouped = Plus(kFalcon, "\"new_decoder_architecture\": true");
  CHECK(MessageOf(grouped) == "config.json:1:1: 'num_kv_heads' is missing; add it");
  const Layer layer = Parse(Plus(grouped, "\"num_kv_heads\": 2")).kinds[0];
  CHECK(layer.attention.kv_heads == 2);
  CHECK(layer.norms == 2);
  CHECK(MessageOf(Plus(grouped, "\"num_kv_heads\": 3")) ==
        "config.json:9:19: num_kv_heads: 3 does not divide num_attention_heads 8");
}

TEST_CASE("a misspelt key is refused though it is false, where its absence means true") {
  CHECK(MessageOf(Plus(kFalcon, "\"tie_word_embedding\": false")) ==
        "config.json:8:3: tie_word_embedding: not understood, and it may shape the model; did you "
        "mean 'tie_word_embeddings'?");
  CHECK(MessageOf(Plus(test::kLlama, "\"tie_word_embedding\": false")) == "");
}

TEST_CASE("falcon: norms follow from how the layer is built") {
  CHECK(Parse(kFalcon).kinds[0].norms == 1);
  CHECK(Parse(kFalcon).kinds[0].parallel);
  CHECK(Parse(Plus(kFalcon, "\"parallel_attn\": false")).kinds[0].norms == 2);
  CHECK(Parse(Plus(kFalcon,
                   "\"new_decoder_architecture\": true,\n  \"num_kv_heads\": 2,\n  "
                   "\"num_ln_in_parallel_attn\": 1"))
            .kinds[0]
            .norms == 1);
}

TEST_CASE("opt: two rows more than positions, and no projected embeddings") {
  CHECK(Parse(kOpt).learned_positions == 102);
  CHECK(Parse(kOpt).tied_embeddings);
  CHECK(MessageOf(Plus(kOpt, "\"word_embed_proj_dim\": 256")) ==
        "config.json:9:26: word_embed_proj_dim: other than hidden_size is not understood");
  const std::int64_t whole = CountParameters(Parse(kOpt)).total;
  const std::int64_t h = 512;
  CHECK(CountParameters(Parse(Plus(kOpt, "\"do_layer_norm_before\": false"))).total ==
        whole - 2 * h);
  CHECK(CountParameters(Parse(Plus(kOpt, "\"layer_norm_elementwise_affine\": false"))).total ==
        whole - 10 * h);
  CHECK(CountParameters(Parse(Plus(kOpt, "\"enable_bias\": false"))).total ==
        whole - 2 * (5 * h + 2048));
}

TEST_CASE("families that never group heads need no key for it, and take none") {
  CHECK(Parse(kGpt2).kinds[0].attention.kv_heads == 8);
  CHECK(MessageOf(Plus(kGpt2, "\"num_key_value_heads\": 2")) ==
        "config.json:8:3: num_key_value_heads: not understood, and it may shape the model; remove "
        "it if no tensor depends on it");
  CHECK(MessageOf(With(kGpt2, "n_head", "n_heads")) ==
        "config.json:1:1: 'n_head' is missing; add it\n"
        "config.json:5:3: n_heads: not understood, and it may shape the model; did you mean "
        "'n_head'?");
  CHECK(MessageOf(With(kGpt2, "\"n_head\": 8", "\"n_head\": 7")) ==
        "config.json:5:13: n_head: 7 does not divide hidden_size 512");
}

TEST_CASE("gpt_bigcode: one KV head for all where the file says so") {
  const std::string text = With(kGpt2, "\"gpt2\"", "\"gpt_bigcode\"");
  CHECK(MessageOf(text) ==
        "config.json:1:1: 'multi_query' is missing; add it: true if all query heads share one KV "
        "head");
  CHECK(Parse(Plus(text, "\"multi_query\": true")).kinds[0].attention.kv_heads == 1);
  CHECK(Parse(Plus(text, "\"multi_query\": false")).kinds[0].attention.kv_heads == 8);
  CHECK(MessageOf(Plus(text, "\"multi_query\": true,\n  \"num_key_value_heads\": 8")) ==
        "config.json:9:26: num_key_value_heads: contradicts multi_query; keep one of them");
}

TEST_CASE("phi3: the window holds for all layers, and null KV heads are as many as query heads") {
  const Llm llm = Parse(Plus(AsPhi3(), "\"sliding_window\": 2047"));
  CHECK(llm.kinds.size() == 1);
  CHECK(llm.kinds[0].attention.window == 2047);
  CHECK(Parse(AsPhi3()).kinds[0].attention.kind == AttentionKind::kFull);
  CHECK(Parse(With(AsPhi3(), "heads\": 8", "heads\": null")).kinds[0].attention.kv_heads == 32);
  CHECK(MessageOf(With(AsPhi3(), "  \"num_key_value_heads\": 8,\n", ""))
            .starts_with("config.json:1:1: 'num_key_value_heads' is missing"));
}

TEST_CASE("mpt: attn_config says how heads are grouped") {
  CHECK(Parse(kMpt).kinds[0].attention.kv_heads == 8);
  const std::string grouped = With(kMpt, "multihead_", "grouped_query_");
  CHECK(MessageOf(grouped) == "config.json:6:18: attn_config: 'kv_n_heads' is missing; add it");
  CHECK(Parse(With(grouped, "\"}", "\", \"kv_n_heads\": 2}")).kinds[0].attention.kv_heads == 2);
  CHECK(Parse(With(kMpt, "multihead_", "multiquery_")).kinds[0].attention.kv_heads == 1);
  CHECK(MessageOf(With(kMpt, "multihead_", "linear_"))
            .starts_with("config.json:6:32: attn_config.attn_type: 'linear_attention' is not "));
  CHECK(MessageOf(With(kMpt, "\"}", "\", \"alibi\": false}")) ==
        "config.json:6:64: attn_config.alibi: only true is understood");
  CHECK(MessageOf(Plus(kMpt, "\"no_bias\": false")) ==
        "config.json:8:14: no_bias: only true is understood");
}

TEST_CASE("stablelm: side by side there is one norm, and queries and keys may have their own") {
  const std::string text = With(test::kLlama, "\"llama\"", "\"stablelm\"");
  CHECK(Parse(text).kinds[0].norms == 2);
  const Layer layer =
      Parse(Plus(text, "\"use_parallel_residual\": true,\n  \"qk_layernorm\": true")).kinds[0];
  CHECK(layer.norms == 1);
  CHECK(layer.parallel);
  CHECK(layer.attention.query_key_norm == QueryKeyNorm::kWhole);
}

TEST_CASE("cohere2 and olmo3: each fourth layer sees everything") {
  for (const char* type : {"\"cohere2\"", "\"olmo3\"", "\"exaone4\""}) {
    CAPTURE(type);
    const Llm llm = Parse(Plus(With(test::kLlama, "\"llama\"", type), "\"sliding_window\": 64"));
    for (std::int64_t i = 0; i < 8; ++i) {
      CHECK(llm.LayerAt(i).attention.IsWindowed() == (i % 4 != 3));
    }
  }
}

TEST_CASE("exaone4: a pattern in letters ends with a layer that sees everything") {
  const std::string text =
      Plus(With(With(test::kLlama, "\"llama\"", "\"exaone4\""), "layers\": 32", "layers\": 6"),
           "\"sliding_window\": 64");
  const Llm llm = Parse(Plus(text, "\"sliding_window_pattern\": \"LLLG\""));
  for (std::int64_t i = 0; i < 6; ++i) {
    CHECK(llm.LayerAt(i).attention.IsWindowed() == (i != 3 && i != 5));
  }
  CHECK(MessageOf(Plus(text, "\"sliding_window_pattern\": \"LXG\"")) ==
        "config.json:10:29: sliding_window_pattern: 'LXG' is not understood; write a number, or "
        "letters L and G");
}

TEST_CASE("nemotron-nas: each layer is what its block says") {
  const Llm llm = Parse(kNas);
  REQUIRE(llm.LayerCount() == 3);
  CHECK(llm.LayerAt(0).attention.kv_heads == 2);
  CHECK(llm.LayerAt(0).ffn.width == 1536);  // 2/3 2.625 768 = 1344, up to a multiple of 256
  CHECK(llm.LayerAt(0).norms == 2);
  CHECK(llm.LayerAt(1).attention.kind == AttentionKind::kLinear);
  CHECK(llm.LayerAt(1).ffn.IsNone());
  CHECK(llm.LayerAt(1).norms == 1);
  CHECK(llm.LayerAt(2).attention.IsNone());
  CHECK(llm.LayerAt(2).ffn.width == 256);
  const std::int64_t h = 768;
  const std::int64_t first = h * (2 * h + 384 + 4608 + 2);
  const std::int64_t rest = h * (h + 1 + 768 + 1);
  CHECK(CountParameters(llm).total == 2000 * h + first + rest + h);
  CHECK(KvBytesPerToken(llm, DType::kBf16).value() == 2 * 2 * 96 * 2);
}

TEST_CASE("nemotron-nas: what a block can't say, or says beside it, is refused by name") {
  CHECK(MessageOf(With(kNas, "group\": 4", "group\": 3")) ==
        "config.json:9:40: block_configs[0].attention.n_heads_in_group: does not divide "
        "num_attention_heads 8");
  CHECK(MessageOf(With(kNas, "\"n_heads_in_group\": 4", "")) ==
        "config.json:9:19: block_configs[0].attention: 'n_heads_in_group' is missing; add it: "
        "query heads that share a KV head");
  CHECK(MessageOf(With(kNas, "group\": 4", "group\": 4, \"window_length\": 512")) ==
        "config.json:9:43: block_configs[0].attention.window_length: not understood, and it may "
        "shape the model; remove it if no tensor depends on it");
  CHECK(MessageOf(With(kNas, "\"ffn\": {\"no_op\"", "\"ffn\": {\"replace_with_linear\"")) ==
        "config.json:10:81: block_configs[1].ffn.replace_with_linear: only false is understood\n"
        "config.json:10:57: block_configs[1].ffn: 'ffn_mult' is missing; add it");
  CHECK(MessageOf(With(kNas, "layers\": 3", "layers\": 2")) ==
        "config.json:8:20: block_configs: 3 entries for 2 layers; give one entry a layer");
  CHECK(MessageOf(With(kNas, "\"num_key_value_heads\": null", "\"num_key_value_heads\": 8")) ==
        "config.json:6:26: num_key_value_heads: contradicts block_configs; write null");
  CHECK(MessageOf(With(kNas, "0.1", "\"wide\"")) ==
        "config.json:11:56: block_configs[2].ffn.ffn_mult: 'wide' is no number from 0 to 1000");
}

TEST_CASE("encoders have no KV cache, and a head only where architectures names one") {
  const Llm plain = Parse(kBert);
  CHECK_FALSE(plain.causal);
  CHECK_FALSE(plain.has_head);
  CHECK(KvBytesPerToken(plain, DType::kBf16).value() == 0);
  CHECK(plain.extra_parameters.at("pooler") == 512 * 513);
  const Llm masked = Parse(Plus(kBert, "\"architectures\": [\"BertForMaskedLM\"]"));
  CHECK(masked.has_head);
  CHECK(masked.extra_parameters.empty());
  const std::int64_t h = 512;
  // The square layer with its bias, a norm, and the bias of the tied matrix.
  CHECK(CountParameters(masked).total == CountParameters(plain).total + h * (h + 1) + 2 * h + 1000);
  CHECK(MessageOf(Plus(kBert, "\"architectures\": [\"BertForSequenceClassification\"]")) ==
        "config.json:9:20: architectures: 'BertForSequenceClassification' is not understood; "
        "known: names that end in Model or ForMaskedLM");
  CHECK(MessageOf(Plus(kBert, "\"is_decoder\": true")) ==
        "config.json:9:17: is_decoder: only false is understood; an encoder sees both ways");
  CHECK(MessageOf(Plus(kBert, "\"position_embedding_type\": \"relative_key\"")) ==
        "config.json:9:30: position_embedding_type: only absolute is understood");
}

TEST_CASE("modernbert: local layers see as far to either side, and the first layer has one norm") {
  const Llm llm =
      Parse(With(With(kBert, "\"bert\"", "\"modernbert\""), "layers\": 2", "layers\": 4"));
  CHECK(llm.LayerAt(0).norms == 1);
  CHECK(llm.LayerAt(1).norms == 2);
  for (std::int64_t i = 0; i < 4; ++i) CHECK(llm.LayerAt(i).attention.IsWindowed() == (i % 3 != 0));
  CHECK(llm.LayerAt(1).attention.window == 129);
}

}  // namespace roofcast
