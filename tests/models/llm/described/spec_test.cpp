// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/spec.h"

#include <doctest/doctest.h>

#include <string>

#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::With;

namespace {

constexpr std::string_view kLlama8b = R"(hidden: 4096
layers: 32
heads: 32
kv_heads: 8
vocabulary: 128256
tied_embeddings: false
gated: true
ffn: 14336
)";

constexpr std::string_view kMoe = R"(hidden: 2048
layers: 8
heads: 32
kv_heads: 4
head_dim: 128
vocabulary: 151936
tied_embeddings: false
gated: true
experts: 128
experts_per_token: 8
expert_width: 768
)";

Llm Parse(std::string_view yaml) {
  return ParseDescribedLlm(yaml, "mine", "mine.yaml");
}

std::string MessageOf(std::string_view yaml) {
  try {
    Parse(yaml);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

std::string Plus(std::string_view yaml, const std::string& line) {
  return std::string(yaml) + line + "\n";
}

// f(ull) or s(liding), then d(ense) or m(oe), a layer.
std::string Layers(const Llm& llm) {
  std::string layers;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    layers += NameOf(llm.LayerAt(i).attention.kind)[0];
    layers += llm.LayerAt(i).ffn.IsMoe() ? "m " : "d ";
  }
  return layers;
}

}  // namespace

TEST_CASE("a model described by hand is the one of its config.json") {
  const Llm described = Parse(kLlama8b);
  const Llm zoo = LoadLlm("llama-3.1-8b");
  CHECK(described.name == "mine");
  CHECK(described.kinds == zoo.kinds);
  CHECK(described.layers == zoo.layers);
  CHECK(CountParameters(described).total == 8030261248);
  CHECK(described.dtype == DType::kBf16);
}

TEST_CASE("a described MoE model is the one of its config.json") {
  std::string text = With(kMoe, "layers: 8", "layers: 48");
  CHECK(CountParameters(Parse(Plus(text, "query_key_norm: true"))).total == 30532122624);
}

TEST_CASE("biases, norms and positions of GPT-2 are its published total") {
  // 124,439,808 parameters of openai-community/gpt2, whose files hold 12 masks beside.
  const Llm gpt2 = Parse(R"(hidden: 768
layers: 12
heads: 12
kv_heads: 12
vocabulary: 50257
tied_embeddings: true
gated: false
ffn: 3072
qkv_bias: true
output_bias: true
ffn_bias: true
layer_norm: true
learned_positions: 1024
dtype: fp32
)");
  CHECK(CountParameters(gpt2).total == 124439808);
  CHECK(gpt2.max_length == 1024);
  CHECK(gpt2.dtype == DType::kFp32);
}

TEST_CASE("windows and experts come in the described steps") {
  CHECK(Layers(Parse(kMoe)) == "fm fm fm fm fm fm fm fm ");
  CHECK(Layers(Parse(Plus(Plus(kMoe, "dense_layers: 1"), "ffn: 6144"))) ==
        "fd fm fm fm fm fm fm fm ");
  CHECK(Layers(Parse(Plus(Plus(kMoe, "experts_every: 3"), "ffn: 6144"))) ==
        "fm fd fd fm fd fd fm fd ");
  CHECK(Layers(Parse(Plus(Plus(kMoe, "window: 128"), "full_every: 4"))) ==
        "sm sm sm fm sm sm sm fm ");
  CHECK(Parse(Plus(kMoe, "window: 128")).kinds.size() == 1);
}

TEST_CASE("what a description leaves out is asked for") {
  CHECK(MessageOf("hidden: 4096\n").find("'kv_heads' is missing") != std::string::npos);
  CHECK(MessageOf(With(kLlama8b, "gated: true\n", "")) ==
        "mine.yaml:1:1: 'gated' is missing; add it");
  CHECK(MessageOf(With(kLlama8b, "tied_embeddings: false\n", "")) ==
        "mine.yaml:1:1: 'tied_embeddings' is missing; add it");
  CHECK(MessageOf(With(kLlama8b, "ffn: 14336\n", "")) ==
        "mine.yaml:1:1: 'ffn' is missing, as there are dense layers; add it");
  CHECK(MessageOf(With(kMoe, "expert_width: 768\n", "")) ==
        "mine.yaml:1:1: 'expert_width' is missing, as there are experts; add it");
}

TEST_CASE("what contradicts itself is refused with its key") {
  CHECK(MessageOf(With(kLlama8b, "kv_heads: 8", "kv_heads: 5")) ==
        "mine.yaml:4:11: kv_heads: 5 does not divide heads 32");
  CHECK(MessageOf(With(kLlama8b, "heads: 32", "heads: 24")) ==
        "mine.yaml:3:8: heads: 24 does not divide hidden 4096, and there is no head_dim; add "
        "head_dim");
  CHECK(MessageOf(Plus(kLlama8b, "shared_width: 5")).find("shared_width: needs experts") !=
        std::string::npos);
  CHECK(MessageOf(Plus(kLlama8b, "full_every: 5")).find("full_every: needs a window") !=
        std::string::npos);
  CHECK(MessageOf(With(kMoe, "per_token: 8", "per_token: 129"))
            .find("experts_per_token: 129 of 128 experts a token") != std::string::npos);
}

TEST_CASE("an unknown key is refused, with the nearest one") {
  CHECK(MessageOf(Plus(kLlama8b, "vocab: 5")).find("vocab: unknown key") != std::string::npos);
  CHECK(MessageOf(Plus(kLlama8b, "windows: 5")).find("did you mean 'window'?") !=
        std::string::npos);
}

TEST_CASE("absurd sizes are refused, alone and together") {
  CHECK(MessageOf(With(kLlama8b, "layers: 32", "layers: 10001"))
            .find("layers: 10001 is more than 10000") != std::string::npos);
  CHECK(MessageOf(With(kLlama8b, "hidden: 4096", "hidden: 4000000000"))
            .find("hidden: 4000000000 is more than 1000000000") != std::string::npos);
  std::string wide = With(kLlama8b, "hidden: 4096", "hidden: 1000000000");
  wide = With(wide, "ffn: 14336", "ffn: 1000000000");
  CHECK(MessageOf(wide) ==
        "mine.yaml:1:1: these sizes make more than 10^15 parameters; check them");
  CHECK(MessageOf(With(kLlama8b, "hidden: 4096", "hidden: 0")).find("is not positive") !=
        std::string::npos);
}

TEST_CASE("every prefix of a description is read or refused, never worse") {
  for (std::size_t length = 0; length < kMoe.size(); ++length) {
    const std::string message = MessageOf(kMoe.substr(0, length));
    CHECK((message.empty() || message.starts_with("mine.yaml")));
  }
}

}  // namespace roofcast
