// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "models/llm/config.h"
#include "models/memory/ledger.h"
#include "models/memory/training.h"
#include "tests/models/training_models.h"

namespace roofcast {

TEST_CASE("a layer keeps Korthikanti's s b h (34 / t + 5 a s / (h t)), less by recompute") {
  const Llm gpt = Gpt(1, 12'288, 96);
  const double sbh = 2048.0 * 12'288;
  ActivationShape shape{.sequence = 2048, .attention = AttentionForm::kUnfused, .dropout = true};
  const auto of = [&](double t, bool sequence_parallel, Recompute recompute) {
    shape.tp = static_cast<std::int64_t>(t);
    shape.sequence_parallel = sequence_parallel;
    shape.recompute = recompute;
    return ActivationsOfLayer(gpt, gpt.kinds[0], shape, {}).value() / sbh;
  };
  const double scores = 5 * 96 * 2048.0 / 12'288;
  for (const double t : {1.0, 4.0, 8.0}) {
    CAPTURE(t);
    // Table 2 of the paper, row by row.
    CHECK(of(t, false, Recompute::kNone) == doctest::Approx(10 + 24 / t + scores / t));
    CHECK(of(t, true, Recompute::kNone) == doctest::Approx((34 + scores) / t));
    CHECK(of(t, false, Recompute::kSelective) == doctest::Approx(10 + 24 / t));
    CHECK(of(t, true, Recompute::kSelective) == doctest::Approx(34 / t));
    CHECK(of(t, false, Recompute::kFull) == doctest::Approx(2));
  }
}

TEST_CASE("flash attention has no scores, so selective recompute saves next to nothing") {
  // https://github.com/NVIDIA/Megatron-LM/issues/1225: 25.52 GB without, 24.94 GB with it.
  const Llm gpt = Gpt(24, 2048, 16);
  ActivationShape shape{.sequence = 4096};
  const Bytes none = ActivationsOfLayer(gpt, gpt.kinds[0], shape, {});
  shape.recompute = Recompute::kSelective;
  const Bytes selective = ActivationsOfLayer(gpt, gpt.kinds[0], shape, {});
  CHECK(selective < none);
  CHECK(selective > 0.95 * none);
  shape = {.sequence = 4096, .attention = AttentionForm::kUnfused, .dropout = true};
  CHECK(ActivationsOfLayer(gpt, gpt.kinds[0], shape, {}) > 3 * none);
}

TEST_CASE("copies of routed tokens are not divided by ep") {
  // https://github.com/NVIDIA/Megatron-LM/pull/6782: top-2 of Mixtral, tp 1, ep 8, etp 1.
  const Llm llm = LoadLlm("mixtral-8x7b");
  const ActivationShape alone{.sequence = 4096};
  ActivationShape spread = alone;
  spread.moe_tp = 1;
  CHECK(ActivationsOfLayer(llm, llm.kinds[0], spread, {}) ==
        ActivationsOfLayer(llm, llm.kinds[0], alone, {}));
  // With tp 4 each rank sends a quarter of the tokens to whole experts: as many numbers of the
  // experts' width, a quarter of the copies.
  ActivationShape sliced = alone;
  sliced.tp = 4;
  const Bytes shared = ActivationsOfLayer(llm, llm.kinds[0], sliced, {});
  sliced.moe_tp = 1;
  const Bytes dealt = ActivationsOfLayer(llm, llm.kinds[0], sliced, {});
  CHECK(shared - dealt == Bytes(2.0 * 2 * 4096 * 4096 * 0.75));
}

TEST_CASE("full recompute keeps less than selective, and that less than none, in every layer") {
  for (const char* model : {"llama-3.1-8b", "gemma-3-27b", "deepseek-v3", "gpt-oss-20b"}) {
    CAPTURE(model);
    const Llm llm = LoadLlm(model);
    for (const AttentionForm form : {AttentionForm::kFlash, AttentionForm::kUnfused}) {
      for (const Layer& layer : llm.kinds) {
        ActivationShape shape{.sequence = 4096, .attention = form};
        const Bytes none = ActivationsOfLayer(llm, layer, shape, {});
        shape.recompute = Recompute::kSelective;
        const Bytes selective = ActivationsOfLayer(llm, layer, shape, {});
        shape.recompute = Recompute::kFull;
        CHECK(ActivationsOfLayer(llm, layer, shape, {}) < selective);
        CHECK(selective < none);
      }
    }
  }
}

TEST_CASE("context parallelism divides what a rank keeps of each sequence, and its logits") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const ActivationShape whole{.sequence = 8192};
  ActivationShape quarter = whole;
  quarter.cp = 4;
  CHECK(ActivationsOfLayer(llm, llm.kinds[0], quarter, {}) ==
        ActivationsOfLayer(llm, llm.kinds[0], whole, {}) / 4);
  CHECK(LossBytes(llm, NeutralRule(), quarter) == LossBytes(llm, NeutralRule(), whole) / 4);
}

TEST_CASE("a recurrent layer keeps what its projection and convolution make, by hand") {
  // Mamba-2 with 8 heads of 64, one group of 128 states, width 256: x and z of 512, B and C of 128,
  // 8 step sizes; 768 convolved; output before and after the norm. Norm and its output: 2 x 256.
  Llm llm;
  llm.hidden = 256;
  Layer layer;
  layer.norms = 1;
  layer.attention = {.kind = AttentionKind::kNone};
  layer.recurrent = {.kind = RecurrentKind::kMamba2,
                     .heads = 8,
                     .head_dim = 64,
                     .key_heads = 1,
                     .state_dim = 128,
                     .taps = 4};
  const double numbers = 2 * 256 + (2 * 512 + 2 * 128 + 8) + (512 + 256) + 2 * 512;
  CHECK(ActivationsOfLayer(llm, layer, {}, {}) == Bytes(2 * numbers));
}

}  // namespace roofcast
