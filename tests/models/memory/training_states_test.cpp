// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "models/llm/config.h"
#include "models/memory/training.h"
#include "tests/models/training_models.h"

namespace roofcast {
namespace {

RankShares Whole(const Llm& llm) {
  return {{1, 0, llm.LayerCount(), true, true}};
}

// Bytes a parameter of weights, gradients and optimizer on one of `ranks`.
double BytesPerParameter(const TrainingRule& rule, std::int64_t zero, double ranks) {
  const Llm llm = LoadLlm("llama-2-7b");
  const StateSharding sharding{zero, zero > 0 ? ranks : 1, zero > 0 ? ranks : 1, ranks > 1};
  const Bytes held = TrainedWeightsLedger(llm, Whole(llm), {}, rule, sharding).bytes +
                     GradientLedger(llm, Whole(llm), {}, rule, sharding).bytes +
                     OptimizerLedger(llm, Whole(llm), rule, sharding).bytes;
  return held.value() / static_cast<double>(CountParameters(llm).total);
}

TrainingRule With(Optimizer optimizer) {
  TrainingRule rule = NeutralRule();
  rule.optimizer = optimizer;
  return rule;
}
double OptimizerBytes(const Llm& llm, const TrainingRule& rule) {
  return OptimizerLedger(llm, Whole(llm), rule, {}).bytes.value();
}

}  // namespace

TEST_CASE("mixed-precision Adam holds 18 bytes a parameter, 6 + 12 / dp with ZeRO-1") {
  // Megatron-LM, theoretical_memory_usage.py [megatron-memory]; Korthikanti et al. 2022.
  CHECK(BytesPerParameter(NeutralRule(), 0, 1) == doctest::Approx(18).epsilon(1e-12));
  for (const double dp : {1.0, 2.0, 8.0, 1024.0}) {
    CHECK(BytesPerParameter(NeutralRule(), 0, dp) == doctest::Approx(18).epsilon(1e-12));
    CHECK(BytesPerParameter(NeutralRule(), 1, dp) == doctest::Approx(6 + 12 / dp).epsilon(1e-12));
    CHECK(BytesPerParameter(RuleOf("megatron-lm"), 1, dp) ==
          doctest::Approx(6 + 12 / dp).epsilon(1e-12));
  }
}

TEST_CASE("ZeRO's figure 1: 7.5 B parameters on 64 devices take 120, 31.4, 16.6 and 1.9 GB") {
  TrainingRule rule = NeutralRule();
  rule.gradients = DType::kFp16;  // [rajbhandari2020]
  CHECK(7.5 * BytesPerParameter(rule, 0, 64) == doctest::Approx(120).epsilon(1e-12));
  CHECK(7.5 * BytesPerParameter(rule, 1, 64) == doctest::Approx(31.4).epsilon(1e-3));
  CHECK(7.5 * BytesPerParameter(rule, 2, 64) == doctest::Approx(16.6).epsilon(3e-3));
  CHECK(7.5 * BytesPerParameter(rule, 3, 64) == doctest::Approx(1.9).epsilon(2e-2));
}

TEST_CASE("FSDP holds 16 bytes a parameter over all ranks, its weights in fp32") {
  CHECK(BytesPerParameter(RuleOf("fsdp"), 3, 64) == doctest::Approx(16.0 / 64).epsilon(1e-12));
}

TEST_CASE("what the ranks of a shard hold together is the unsharded state") {
  for (const char* model : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v3"}) {
    CAPTURE(model);
    const Llm llm = LoadLlm(model);
    const TrainingRule rule = NeutralRule();
    const Node sharded = TrainedWeightsLedger(llm, Whole(llm), {}, rule, {3, 64, 8, true});
    for (const Node& part : TrainedWeightsLedger(llm, Whole(llm), {}, rule, {}).children) {
      const double ranks = part.name == "experts" ? 8 : 64;
      CHECK(PartOf(sharded, part.name).value() * ranks ==
            doctest::Approx(part.bytes.value()).epsilon(1e-12));
    }
    const StateSharding even{3, 64, 64, true};
    CHECK(64 * OptimizerLedger(llm, Whole(llm), rule, even).bytes.value() ==
          doctest::Approx(OptimizerBytes(llm, rule)).epsilon(1e-12));
    CHECK(64 * GradientLedger(llm, Whole(llm), {}, rule, even).bytes.value() ==
          doctest::Approx(GradientLedger(llm, Whole(llm), {}, rule, {}).bytes.value())
              .epsilon(1e-12));
  }
}

TEST_CASE("expert parallelism divides the experts and nothing else") {
  const Llm llm = LoadLlm("mixtral-8x7b");
  const Node whole = TrainedWeightsLedger(llm, Whole(llm), {}, NeutralRule(), {});
  RankShares eighth = Whole(llm);
  eighth[0].ep = 8;
  eighth[0].moe_tp = 1;
  const Node part = TrainedWeightsLedger(llm, eighth, {}, NeutralRule(), {});
  CHECK(PartOf(part, "experts") == PartOf(whole, "experts") / 8);
  CHECK(PartOf(part, "attention") == PartOf(whole, "attention"));
  CHECK(PartOf(part, "router") == PartOf(whole, "router"));
}

TEST_CASE("optimizers keep what they keep of a matrix, a token table and a norm") {
  const auto moments = [](Optimizer optimizer, const Tensor& tensor) {
    const Moments kept = MomentsOf(With(optimizer), {tensor, 1, 1});
    return kept.first + kept.second;
  };
  const double numbers = 4096.0 * 14'336;
  const Tensor matrix{"up", "up", Part::kFfn, 14'336, 4096, 1, Shard::kOutputs, 1};
  const Tensor table{"tokens", "", Part::kEmbedding, 32'000, 4096, 1, Shard::kVocabulary, 1};
  const Tensor norm{"norm", "", Part::kNorm, 2048, 1, 1, Shard::kReplicated, 1};
  CHECK(moments(Optimizer::kAdam, matrix) == Bytes(8 * numbers));
  CHECK(moments(Optimizer::kAdam8Bit, matrix) == Bytes(2 * (numbers + numbers / 256 * 4)));
  CHECK(moments(Optimizer::kAdam8Bit, norm) == Bytes(8.0 * 2048));  // too small to quantise
  CHECK(moments(Optimizer::kAdafactor, matrix) == Bytes(4.0 * (4096 + 14'336)));
  CHECK(moments(Optimizer::kAdafactor, norm) == Bytes(4.0 * 2048));
  CHECK(moments(Optimizer::kMuon, matrix) == Bytes(4 * numbers));
  CHECK(moments(Optimizer::kMuon, table) == Bytes(8.0 * 32'000 * 4096));
  CHECK(moments(Optimizer::kMuon, norm) == Bytes(8.0 * 2048));
  CHECK(moments(Optimizer::kSgd, matrix) == Bytes(4 * numbers));
}

TEST_CASE("bf16 moments halve them, and without master weights four bytes a parameter go") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  TrainingRule rule = NeutralRule();
  const double whole = OptimizerBytes(llm, rule);
  CHECK(whole == 12.0 * 8'030'261'248);
  rule.moments = DType::kBf16;
  CHECK(OptimizerBytes(llm, rule) == 8.0 * 8'030'261'248);
  rule.master.reset();
  CHECK(OptimizerBytes(llm, rule) == 4.0 * 8'030'261'248);
}

TEST_CASE("logits of large vocabularies, by chunk and by rank") {
  Llm llm;
  TrainingRule rule = NeutralRule();
  // https://github.com/ISEEKYAN/Megatron-LM/pull/132: fp32 logits of 8192 tokens, chunks of 1024.
  llm.vocabulary = 151'936;
  rule.logit_bytes = 4;
  CHECK(LossBytes(llm, rule, {.sequence = 8192}).value() / kGib == 4.63671875);
  rule.loss_chunk = 1024;
  CHECK(LossBytes(llm, rule, {.sequence = 8192}).value() / kGib == 0.57958984375);
  CHECK(LossBytes(llm, rule, {.sequence = 512}).value() / kGib == 0.57958984375 / 2);
  // https://github.com/areal-project/AReaL/issues/664: bf16 logits gathered on each of 8 ranks.
  llm.vocabulary = 128'000;
  rule.loss_chunk.reset();
  rule.logit_bytes = 2;
  rule.gathers_logits = true;
  CHECK(LossBytes(llm, rule, {.batch = 4, .sequence = 4096, .tp = 8}).value() / kGib == 3.90625);
  rule.gathers_logits = false;
  CHECK(LossBytes(llm, rule, {.batch = 4, .sequence = 4096, .tp = 8}).value() / kGib == 0.48828125);
}

}  // namespace roofcast
