// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/megatron.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::With;

namespace {

constexpr std::string_view kLlama8b = R"(# Llama 3 8B
--num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
--group-query-attention --num-query-groups 8
--ffn-hidden-size 14336 --swiglu
--max-position-embeddings 8192 --position-embedding-type rope
--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights
--vocab-size 128256 --bf16
)";

Llm Parse(std::string_view text) {
  return ParseMegatronArguments(text, "mine", "mine.args");
}

std::string MessageOf(std::string_view text) {
  try {
    Parse(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

std::int64_t Total(std::string_view text) {
  return CountParameters(Parse(text)).total;
}

}  // namespace

TEST_CASE("Llama 3 8B by its Megatron-LM arguments is the one of its config.json") {
  const Llm llm = Parse(kLlama8b);
  const Llm zoo = LoadLlm("llama-3.1-8b");
  CHECK(llm.kinds == zoo.kinds);
  CHECK(llm.layers == zoo.layers);
  CHECK(Total(kLlama8b) == 8030261248);
  CHECK(llm.max_length == 8192);
}

TEST_CASE("Mixtral 8x7B by its Megatron-LM arguments is the one of its config.json") {
  std::string text = With(kLlama8b, "128256", "32000");
  text += "--num-experts 8 --moe-router-topk 2 --moe-aux-loss-coeff 1e-2 --moe-grouped-gemm\n";
  CHECK(Parse(text).kinds == LoadLlm("mixtral-8x7b").kinds);
  CHECK(Total(text) == 46702792704);
}

TEST_CASE("GPT-3 175B has the parameters of Megatron-LM's own formula") {
  constexpr std::string_view kGpt3 = R"(
--num-layers 96 --hidden-size 12288 --num-attention-heads 96
--max-position-embeddings 2048 --seq-length 2048 --vocab-size 51200
)";
  // 12 l h^2 (1 + 13 / (12 h) + (V + s) / (12 l h)) [narayanan2021megatron], and the last norm's 2
  // h.
  const std::int64_t l = 96;
  const std::int64_t h = 12288;
  const std::int64_t formula = 12 * l * h * h + 13 * l * h + (51200 + 2048) * h;
  CHECK(formula == 174615822336);
  CHECK(Total(kGpt3) == formula + 2 * h);
  CHECK(Parse(kGpt3).dtype == DType::kFp32);
}

TEST_CASE("the defaults are Megatron-LM's") {
  constexpr std::string_view kLeast =
      "--num-layers 2 --hidden-size 1000 --num-attention-heads 10 --max-position-embeddings 64 "
      "--vocab-size 1000 ";
  const Llm llm = Parse(kLeast);
  CHECK(llm.vocabulary == 1024);
  CHECK(llm.tied_embeddings);
  CHECK(llm.learned_positions == 64);
  const Layer& layer = llm.kinds[0];
  CHECK(layer.attention.kv_heads == 10);
  CHECK(layer.attention.qkv_bias);
  CHECK(layer.norm_bias);
  CHECK_FALSE(layer.ffn.gated);
  CHECK(layer.ffn.width == 4000);
  const std::string least(kLeast);
  CHECK(Parse(least + "--swiglu").kinds[0].ffn.width == 2624);  // 2666.7 down to 64s
  CHECK(Parse(least + "--group-query-attention").kinds[0].attention.kv_heads == 1);
  CHECK(Parse(least + "--make-vocab-size-divisible-by=1").vocabulary == 1000);
  const Layer moe = Parse(least + "--num-experts 4 --moe-layer-freq 2").LayerAt(0);
  CHECK(moe.ffn.experts_per_token == 2);
  CHECK(moe.ffn.width == 4000);
  CHECK_FALSE(Parse(least + "--num-experts 4 --moe-layer-freq 2").LayerAt(1).ffn.IsMoe());
}

TEST_CASE("arguments of the training are passed over") {
  const std::string text =
      std::string(kLlama8b) +
      "--micro-batch-size 1 --global-batch-size 512 --tensor-model-parallel-size 8 --lr 1e-4 "
      "--data-path /a/b 'c d' --train-iters 5 --no-bias-swiglu-fusion --eval-interval 100";
  CHECK(Total(text) == 8030261248);
}

TEST_CASE("an argument that may shape the model and that nobody reads is refused") {
  CHECK(MessageOf(std::string(kLlama8b) + "--multi-latent-attention --q-lora-rank 5") ==
        "mine.args:8:26: --q-lora-rank: not understood, and it may shape the model; remove it if "
        "no tensor depends on it");
  CHECK(MessageOf(With(kLlama8b, "--num-query-groups", "--num-query-group"))
            .find("did you mean '--num-query-groups'?") != std::string::npos);
  CHECK(MessageOf(std::string(kLlama8b) + "--mtp-num-layers 1").find("--mtp-num-layers: not") !=
        std::string::npos);
}

TEST_CASE("what is missing or wrong is told with line and column") {
  CHECK(MessageOf(With(kLlama8b, "--vocab-size 128256", "")) ==
        "mine.args: --vocab-size is missing; add it");
  CHECK(MessageOf(With(kLlama8b, "--hidden-size 4096", "--hidden-size $HIDDEN"))
            .starts_with("mine.args:2:17: --hidden-size: '$HIDDEN' is not a whole number from 1"));
  CHECK(MessageOf(With(kLlama8b, "groups 8", "groups 5")) ==
        "mine.args:3:25: --num-query-groups: 5 does not divide heads 32");
  CHECK(MessageOf(With(kLlama8b, "--num-layers 32", "--num-layers 32000")) ==
        "mine.args:2:1: --num-layers: 32000 is more than 10000, the most allowed");
  CHECK(MessageOf(std::string(kLlama8b) + "--bf16") ==
        "mine.args:8:1: --bf16: is given twice; keep one of them");
  CHECK(MessageOf("torchrun pretrain_gpt.py --num-layers 2")
            .starts_with("mine.args:1:1: 'torchrun' is not an argument; keep the arguments alone"));
  CHECK(MessageOf(With(kLlama8b, "RMSNorm", "BatchNorm")).find("known: LayerNorm or RMSNorm") !=
        std::string::npos);
  CHECK(MessageOf(With(kLlama8b, "--swiglu", "--swiglu 1")).find("--swiglu: takes no value") !=
        std::string::npos);
}

TEST_CASE("a misspelt argument that has a default is refused, not passed over") {
  const std::string text(kLlama8b);
  for (const char* wrong : {"--swigl", "--swi-glu", "--swigllu"}) {
    CAPTURE(wrong);
    CHECK(MessageOf(With(text, "--swiglu", wrong)).find("did you mean '--swiglu'?") !=
          std::string::npos);
  }
  CHECK(MessageOf(With(text, "--group-query-attention", ""))
            .find("has no effect without --group-query-attention") != std::string::npos);
}

TEST_CASE("every prefix of a file of arguments is read or refused, never worse") {
  for (std::size_t length = 0; length < kLlama8b.size(); ++length) {
    const std::string message = MessageOf(kLlama8b.substr(0, length));
    CHECK((message.empty() || message.starts_with("mine.args")));
  }
}

}  // namespace roofcast
