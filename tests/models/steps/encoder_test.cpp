// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "models/memory/ledger.h"
#include "models/steps/predict.h"
#include "models/steps/report.h"
#include "tests/models/llm/config_text.h"

// Encoders, and models of layers that lack a part, through whole predictions.
namespace roofcast {
namespace {

Cluster OneH100() {
  return LoadCluster("h100-sxm:1");
}

Llm Bert(const std::string& architectures) {
  const std::string text = R"({
  "model_type": "bert",
  "architectures": [")" + architectures +
                           R"("],
  "hidden_size": 1024,
  "intermediate_size": 4096,
  "num_hidden_layers": 24,
  "num_attention_heads": 16,
  "max_position_embeddings": 512,
  "torch_dtype": "bfloat16",
  "vocab_size": 30522
})";
  return test::Parse(text);
}

}  // namespace

TEST_CASE("an encoder has no decode step, and says what to use") {
  try {
    PredictDecode(Bert("BertModel"), OneH100(), {1, 100});
    FAIL("no error");
  } catch (const ArgumentError& error) {
    CHECK(std::string(error.what()) ==
          "model: test is an encoder, which makes no next token; use predict prefill, which reads "
          "all tokens in one pass");
  }
}

TEST_CASE("an encoder reads its tokens without a KV cache and without an LM head") {
  const StepTime step = PredictPrefill(Bert("BertModel"), OneH100(), {8, 512});
  CHECK(step.time > Seconds(0));
  CHECK(step.fits);
  const Node* cache = FindChild(step.memory.bytes, "KV cache");
  CHECK((cache == nullptr || cache->bytes == Bytes(0)));
  CHECK(step.memory.kv_bytes_per_token == Bytes(0));
  CHECK(FindChild(step.breakdown, "head") == nullptr);
}

TEST_CASE("a masked-LM head reads every token, through its square layer") {
  const Llm llm = Bert("BertForMaskedLM");
  const StepTime step = PredictPrefill(llm, OneH100(), {8, 512});
  const Node* head = FindChild(step.breakdown, "head");
  REQUIRE(head != nullptr);
  CHECK(FindChild(*head, "transform") != nullptr);
  const double tokens = 8 * 512;
  // Logits of all tokens in fp32, and their softmax, are the largest set alive.
  const Node* workspace = FindChild(step.memory.bytes, "workspace");
  REQUIRE(workspace != nullptr);
  CHECK(workspace->bytes.value() >= tokens * 30522 * 8);
}

TEST_CASE("an encoder's memory is its weights, its workspace and the runtime") {
  const StepTime step = PredictMemory(Bert("BertModel"), OneH100(), {1, 512});
  const Node* weights = FindChild(step.memory.bytes, "weights");
  REQUIRE(weights != nullptr);
  CHECK(weights->bytes.value() ==
        2.0 * static_cast<double>(CountParameters(Bert("BertModel")).total));
  CHECK(step.memory.kv_tokens == 0);
  CHECK(FormatReport(step).find("kv        none: no layer keeps keys and values") !=
        std::string::npos);
}

TEST_CASE("an image encoder makes its tokens with one matrix") {
  const StepTime step = PredictPrefill(LoadLlm("vit-large"), LoadCluster("a100-sxm:1"), {4, 197});
  const Node* embedding = FindChild(step.breakdown, "embedding");
  REQUIRE(embedding != nullptr);
  CHECK(FindChild(*embedding, "patches") != nullptr);
  CHECK(FindChild(*embedding, "token lookup") == nullptr);
}

TEST_CASE("pruned layers cost what is left of them") {
  const Llm super = LoadLlm("llama-3.3-nemotron-super-49b");
  const Llm whole = LoadLlm("llama-3.3-70b");
  const Cluster cluster = LoadCluster("h100-sxm:8");
  Options options;
  options.plan = Plan{.tp = 8};
  const StepTime pruned = PredictDecode(super, cluster, {16, 4096}, options);
  const StepTime full = PredictDecode(whole, cluster, {16, 4096}, options);
  CHECK(pruned.time < full.time);
  CHECK(pruned.memory.kv_bytes_per_token.value() * 80 ==
        doctest::Approx(full.memory.kv_bytes_per_token.value() * 49));
}

TEST_CASE("a square matrix in the place of attention costs its product alone") {
  Llm llm = LoadLlm("llama-3.1-8b");
  const StepTime whole = PredictPrefill(llm, OneH100(), {1, 4096});
  AttentionLayer linear;
  linear.kind = AttentionKind::kLinear;
  for (Layer& layer : llm.kinds) layer.attention = linear;
  const StepTime step = PredictPrefill(llm, OneH100(), {1, 4096});
  CHECK(step.time < whole.time);
  const Node* attention = FindChild(step.breakdown, "attention");
  REQUIRE(attention != nullptr);
  CHECK(FindChild(*attention, "linear") != nullptr);
  CHECK(FindChild(*attention, "attention") == nullptr);
  CHECK(step.memory.kv_bytes_per_token == Bytes(0));
}

}  // namespace roofcast
