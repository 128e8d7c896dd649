// SPDX-License-Identifier: Apache-2.0
#include "models/llm/language_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

std::string Nested(std::string_view type, std::string_view nest, std::string_view text = kLlama) {
  return "{\n  \"model_type\": \"" + std::string(type) + "\",\n  \"" + std::string(nest) +
         "\": " + std::string(text) + "\n}";
}

}  // namespace

TEST_CASE("families are sorted, and a wrapper's own language model is one of them or to come") {
  CHECK(std::is_sorted(kFamilies.begin(), kFamilies.end(), [](const Family& a, const Family& b) {
    return a.model_type < b.model_type;
  }));
  for (const Family& family : kFamilies) {
    CAPTURE(family.model_type);
    CHECK((family.read == nullptr) == family.wrapper.has_value());
  }
}

TEST_CASE("the nested model_type picks the family, whatever wraps it") {
  const std::int64_t alone = CountParameters(Parse(kLlama)).total;
  CHECK(CountParameters(Parse(Nested("llava", "text_config"))).total == alone);
  CHECK(CountParameters(Parse(Nested("internvl_chat", "llm_config"))).total == alone);
  const std::string qwen = With(kLlama, "\"llama\"", "\"qwen2\"");
  CHECK(Parse(Nested("llava", "text_config", qwen)).kinds[0].attention.qkv_bias);
  CHECK(Parse(Nested("llava", "text_config", qwen)).model_type == "llava");
}

TEST_CASE("a missing nested model_type is the class's, where its class has one") {
  const std::string untyped = With(kLlama, "  \"model_type\": \"llama\",\n", "");
  CHECK(CountParameters(Parse(Nested("llava", "text_config", untyped))).total ==
        CountParameters(Parse(kLlama)).total);
  CHECK(MessageOf(Nested("internvl_chat", "llm_config", untyped))
            .starts_with("config.json:3:17: llm_config: 'model_type' is missing; known: "));
}

TEST_CASE("a class with one language model takes no other, and wrappers don't nest") {
  CHECK(MessageOf(Nested("gemma3", "text_config")) ==
        "config.json:4:17: text_config.model_type: 'llama' is not understood; known: gemma3_text");
  CHECK(MessageOf(Nested("llava", "text_config", With(kLlama, "\"llama\"", "\"llava\"")))
            .starts_with("config.json:4:17: text_config.model_type: 'llava' is not understood"));
  CHECK(MessageOf(Nested("llava", "text_config", With(kLlama, "\"llama\"", "\"gemma3n_text\"")))
            .find("per-layer embeddings, AltUp and Laurel are not modelled") != std::string::npos);
}

TEST_CASE("number format and tied embeddings are read at either level, the inner one first") {
  const std::string text = Nested("llava", "text_config");
  CHECK(Parse(Plus(text, "\"torch_dtype\": \"float16\"")).dtype == DType::kFp16);
  CHECK_FALSE(Parse(text).tied_embeddings);
  const std::string outer = Plus(text, "\"tie_word_embeddings\": true");
  CHECK(Parse(outer).tied_embeddings);
  const std::string inner =
      Nested("llava", "text_config", Plus(kLlama, "\"tie_word_embeddings\": false"));
  CHECK_FALSE(Parse(Plus(inner, "\"tie_word_embeddings\": true")).tied_embeddings);
}

TEST_CASE("a key at both levels must say the same") {
  const std::string text = Nested("llava", "text_config");
  CHECK(MessageOf(Plus(text, "\"vocab_size\": 128256")) == "");
  CHECK(MessageOf(Plus(text, "\"vocab_size\": 32000")) ==
        "config.json:12:17: vocab_size: 32000 contradicts the language model's, which is 128256; "
        "keep one of them");
  CHECK(MessageOf(Plus(text, "\"head_dim\": 64")).starts_with("config.json:12:3: head_dim: not "));
}

TEST_CASE("a model type that is known to be more than the layer table says so") {
  CHECK(MessageOf(R"({"model_type": "mllama", "text_config": {}})") ==
        "config.json:1:16: model_type: 'mllama' is not understood: layers that attend to an image "
        "(cross-attention) are not modelled");
  for (const RefusedFamily& refused : kRefusedFamilies) {
    CAPTURE(refused.model_type);
    const std::string message =
        MessageOf("{\"model_type\": \"" + std::string(refused.model_type) + "\"}");
    CHECK(message.find(refused.reason) != std::string::npos);
  }
}

TEST_CASE("every prefix of a nested config is refused without a crash") {
  const std::string text = Nested("llava", "text_config");
  for (std::size_t length = 0; length < text.size(); ++length) {
    CHECK(MessageOf(text.substr(0, length)) != "");
  }
}

}  // namespace roofcast
