// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "models/llm/config.h"
#include "models/memory/ledger.h"

namespace roofcast {
namespace {

// Bytes of one token in one layer.
double PerToken(const Llm& llm, const Layer& layer, std::int64_t tp, bool sequence_parallel) {
  const ActivationShape shape{.tp = tp, .sequence_parallel = sequence_parallel};
  return ActivationsOfLayer(llm, layer, shape, Precision{}).value();
}

}  // namespace

TEST_CASE("a GPT layer keeps the 34 sbh of Korthikanti less its two dropout masks") {
  // Selective recompute keeps no scores: 11 - of which 1 a mask - and 19 - 1 a mask - and 4 for
  // the norms, times s b h / t; flash attention adds four bytes a head.
  Llm llm;
  llm.hidden = 12'288;
  Layer layer;
  layer.attention = {.heads = 96, .kv_heads = 96, .head_dim = 128, .value_dim = 128};
  layer.ffn = {.width = 49'152, .gated = false};
  for (const double t : {1.0, 2.0, 8.0}) {
    CAPTURE(t);
    CHECK(PerToken(llm, layer, static_cast<std::int64_t>(t), true) ==
          doctest::Approx((34 - 2) * 12'288 / t + 4 * 96 / t).epsilon(1e-12));
  }
  // Without sequence parallelism norms and inputs stay whole: 8 + 24 / t.
  CHECK(PerToken(llm, layer, 8, false) ==
        doctest::Approx((8 + 24.0 / 8) * 12'288 + 4 * 96 / 8.0).epsilon(1e-12));
}

TEST_CASE("a Llama layer keeps 2h(6 + 2 kv/H) + 6 f + 4 H bytes a token, over tp") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  for (const double tp : {1.0, 2.0, 4.0, 8.0}) {
    CHECK(PerToken(llm, llm.kinds[0], static_cast<std::int64_t>(tp), true) ==
          doctest::Approx((2 * 8192 * (6 + 2 * 8.0 / 64) + 6 * 28'672 + 4 * 64) / tp));
  }
}

TEST_CASE("a MoE layer keeps a whole copy of a token for each expert that it goes to") {
  const Llm llm = LoadLlm("mixtral-8x7b");  // 2 of 8 experts of 14336, hidden 4096
  const double dense = 2 * 4096 * (6 + 2 * 8.0 / 32) + 4 * 32 + 2 * 3 * 2 * 14'336;
  CHECK(PerToken(llm, llm.kinds[0], 1, true) == dense + 2 * 2 * 4096);
  CHECK(PerToken(llm, llm.kinds[0], 4, true) == dense / 4 + 2 * 2 * 4096);
}

TEST_CASE("layers with more norms keep more: Gemma's sandwich, Qwen3's queries and keys, MLA") {
  const Llm gemma = LoadLlm("gemma-2-2b");  // 4 norms of 2304, 8 heads, 4 KV heads of 256, 9216
  CHECK(PerToken(gemma, gemma.kinds[0], 1, true) ==
        2 * (6 * 2304 + 2 * (8 + 4) * 256 + 3 * 9216) + 4 * 8);
  const Llm qwen = LoadLlm("qwen3-8b");  // 32 heads, 8 KV heads of 128, hidden 4096, 12288
  CHECK(PerToken(qwen, qwen.kinds[0], 1, true) ==
        2 * (4 * 4096 + 3 * (32 + 8) * 128 + 3 * 12'288) + 4 * 32);
  const Llm deepseek = LoadLlm("deepseek-v3");  // layer 0 is dense: 18432
  const double latents = 2 * 1536 + 2 * 512 + 64;
  CHECK(PerToken(deepseek, deepseek.LayerAt(0), 8, true) ==
        2 * (4 * 7168 / 8.0 + 2 * 16 * (192 + 128) + latents + 3 * 18'432 / 8.0) + 4 * 16);
}

TEST_CASE("full recompute keeps a layer's input alone") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  ActivationShape shape{.batch = 2, .sequence = 100, .tp = 4, .recompute = Recompute::kFull};
  CHECK(ActivationsOfLayer(llm, llm.kinds[0], shape, Precision{}) == Bytes(200.0 * 4096 * 2 / 4));
  shape.sequence_parallel = false;
  CHECK(ActivationsOfLayer(llm, llm.kinds[0], shape, Precision{}) == Bytes(200.0 * 4096 * 2));
}

TEST_CASE("activations grow in proportion to tokens") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const ActivationShape one{};
  const ActivationShape many{.batch = 3, .sequence = 4096};
  CHECK(ActivationsOfLayer(llm, llm.kinds[0], many, Precision{}) ==
        3 * 4096 * ActivationsOfLayer(llm, llm.kinds[0], one, Precision{}));
}

TEST_CASE("logits take eight bytes each, split over the vocabulary") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  CHECK(LogitsOnRank(llm, 8192, 1) == Bytes(8.0 * 8192 * 128'256));
  CHECK(LogitsOnRank(llm, 8192, 8) == Bytes(8.0 * 8192 * 128'256 / 8));
}

TEST_CASE("inference needs room for the widest tensors of a pass, or for the logits") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const RankShare first{1, 0, 16, true, false};
  const Bytes pass = InferenceWorkspace(llm, first, Precision{}, 8192, 1);
  CHECK(pass == Bytes(8192.0 * 2 * (2 * 4096 + 3 * 14'336)));
  const RankShare last{1, 16, 32, false, true};
  CHECK(InferenceWorkspace(llm, last, Precision{}, 8192, 1) == pass);
  CHECK(InferenceWorkspace(llm, last, Precision{}, 64, 64) == LogitsOnRank(llm, 64, 1));
}

}  // namespace roofcast
