// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/steps/predict.h"
#include "tests/models/kernels/figures.h"

namespace roofcast {
namespace {

const Llm& Llama8B() {
  static const Llm llm = LoadLlm("llama-3.1-8b");
  return llm;
}
const Llm& Llama70B() {
  static const Llm llm = LoadLlm("llama-3.1-70b");
  return llm;
}
StepTime Train(const Llm& llm,
               const Cluster& cluster,
               const Plan& plan,
               const TrainLoad& load = {512, 4096}) {
  Options options;
  options.plan = plan;
  return PredictTrainStep(llm, cluster, load, options);
}
Bytes BytesIn(const StepTime& step, std::string_view part) {
  const Node* found = FindChild(step.memory.bytes, part);
  REQUIRE(found != nullptr);
  return found->bytes;
}
bool HasPart(const StepTime& step, std::string_view name) {
  return FindChild(step.breakdown, name) != nullptr;
}

}  // namespace

TEST_CASE("model FLOPs of Llama-3.1-70B by hand, in each convention") {
  const double parameters = 70'553'706'496;
  const double input = 128'256.0 * 8192;
  const double scores = 80.0 * 8192 * 8192;  // L h s
  const auto flops = [](std::string_view name) {
    return TrainingFlopsPerToken(Llama70B(), 8192, name).value();
  };
  CHECK(flops("6P+12Lhs") == 6 * (parameters - input) + 12 * scores);
  CHECK(flops("6P+6Lhs") == 6 * (parameters - input) + 6 * scores);
  CHECK(flops("6P") == 6 * (parameters - input));
  CHECK(flops("6N+12Lhs") == 6 * parameters + 12 * scores);
  CHECK(flops("6N") == 6 * parameters);
  CHECK_THROWS_WITH_AS(flops("8P"),
                       "flops-convention: unknown '8P'; use 6P+12Lhs, 6P+6Lhs, 6P, 6M+12Lhs, "
                       "6M+6Lhs, 6M, 6N+12Lhs, 6N+6Lhs or 6N",
                       ArgumentError);
}

TEST_CASE("a sliding layer's scores count the window, so that MFU stays below one") {
  const Llm llm = LoadLlm("mistral-7b");
  const double window = 32.0 * 4096 * 4096;  // L h window
  const Flops within = TrainingFlopsPerToken(llm, 4096, "6P+12Lhs");
  CHECK(within == TrainingFlopsPerToken(llm, 131'072, "6P+12Lhs"));
  CHECK(within - TrainingFlopsPerToken(llm, 4096, "6P") == Flops(12 * window));
  const StepTime step = Train(llm, LoadCluster("h100-sxm:8"), {.tp = 8}, {8, 131'072});
  CHECK(*step.mfu < 1);
}

TEST_CASE("attention in fp32 runs at the fp32 rate") {
  Options options;
  options.plan = Plan{.tp = 8};
  options.precision.activations = DType::kFp32;
  const StepTime step =
      PredictTrainStep(Llama8B(), LoadCluster("h100-sxm:8"), {8, 131'072}, options);
  CHECK(*step.mfu < 1);
}

TEST_CASE("a tied table is multiplied as the head, so it counts in P") {
  const Llm llm = LoadLlm("llama-3.2-1b");
  CHECK(TrainingFlopsPerToken(llm, 1, "6P") == Flops(6.0 * 1'235'814'400));
}

TEST_CASE("MFU is model FLOPs over the time and the dense peak of all devices") {
  const StepTime step =
      Train(Llama70B(), LoadCluster("h100-sxm:64"), {.tp = 8, .pp = 4}, {512, 8192});
  const double flops =
      512.0 * 8192 * (6 * (70'553'706'496.0 - 128'256.0 * 8192) + 12 * 80.0 * 8192 * 8192);
  CHECK(step.model_flops.value() == doctest::Approx(flops).epsilon(1e-12));
  REQUIRE(step.mfu);
  CHECK(*step.mfu == doctest::Approx(flops / step.time.value() / (64 * 989.4e12)).epsilon(1e-9));
  CHECK(*step.mfu > 0.2);
  CHECK(*step.mfu < 0.75);
  CHECK(step.tokens_per_s == doctest::Approx(512 * 8192 / step.time.value()));
  CHECK(step.tokens_per_s_per_device == doctest::Approx(step.tokens_per_s / 64));
  CHECK(step.flops_convention == "6P+12Lhs");
  CHECK(step.plan.dp == 2);
}

TEST_CASE("no step is faster than its matrix products at the peak of all devices") {
  for (const Plan& plan : {Plan{}, Plan{.tp = 2}, Plan{.pp = 4}, Plan{.tp = 2, .pp = 2}}) {
    const Cluster cluster = LoadCluster("h100-sxm:8");
    const StepTime step = Train(Llama8B(), cluster, plan);
    const Flops least = 512 * 4096 * TrainingFlopsPerToken(Llama8B(), 4096, "6P");
    CHECK(step.time >= least / (8 * cluster.device.PeakOf(DType::kBf16)));
  }
}

TEST_CASE("every legal tp and pp of Llama-3.1-8B on 64 devices is predicted") {
  const Cluster cluster = LoadCluster("h100-sxm:64");
  int plans = 0;
  for (const std::int64_t tp : LegalTp(Llama8B(), 64)) {
    for (std::int64_t pp = 1; pp <= 32; ++pp) {
      if (64 % (tp * pp) != 0) continue;
      CAPTURE(tp);
      CAPTURE(pp);
      const Plan plan{.tp = tp, .pp = pp};
      const StepTime train = Train(Llama8B(), cluster, plan, {64, 2048});
      REQUIRE(train.mfu);
      CHECK(*train.mfu > 0);
      CHECK(*train.mfu < 1);
      CHECK(HasPart(train, "pipeline bubble") == (pp > 1));
      Options options;
      options.plan = plan;
      CHECK(PredictPrefill(Llama8B(), cluster, {2, 512}, options).time > Seconds(0));
      CHECK(PredictDecode(Llama8B(), cluster, {2, 512}, options).time > Seconds(0));
      ++plans;
    }
  }
  CHECK(plans == 26);
}

TEST_CASE("more data-parallel devices never make a step slower") {
  Seconds before(1e9);
  for (const std::int64_t devices : {8, 16, 32, 64, 128, 256}) {
    const StepTime step = Train(Llama70B(), LoadCluster("h100-sxm", devices), {.tp = 8});
    CHECK(step.time < before);
    before = step.time;
  }
}

TEST_CASE("full recompute takes less memory and more time") {
  const Cluster cluster = LoadCluster("h100-sxm:64");
  const StepTime keep = Train(Llama70B(), cluster, {.tp = 8, .pp = 4});
  const StepTime again =
      Train(Llama70B(), cluster, {.tp = 8, .pp = 4, .recompute = Recompute::kFull});
  CHECK(BytesIn(again, "activations") < BytesIn(keep, "activations"));
  CHECK(again.memory.bytes.bytes < keep.memory.bytes.bytes);
  // A layer costs about 1 + 2 with, 1 + 1 + 2 without the kept activations.
  CHECK(again.time > 1.2 * keep.time);
  CHECK(again.time < 1.4 * keep.time);
  CHECK(again.model_flops == keep.model_flops);
}

TEST_CASE("ZeRO-1 divides optimizer states and Adam by dp, and gathers the weights") {
  const Cluster cluster = LoadCluster("h100-sxm:64");
  const StepTime plain = Train(Llama70B(), cluster, {.tp = 8, .pp = 2});
  const StepTime sharded = Train(Llama70B(), cluster, {.tp = 8, .pp = 2, .zero = 1});
  CHECK(BytesIn(sharded, "optimizer") == BytesIn(plain, "optimizer") / 4);
  CHECK(BytesIn(sharded, "gradients") == BytesIn(plain, "gradients"));
  CHECK(HasPart(plain, "dp gradient all-reduce"));
  CHECK(HasPart(sharded, "dp gradient reduce-scatter"));
  CHECK(HasPart(sharded, "dp weight all-gather"));
  CHECK(FindChild(sharded.breakdown, "optimizer")->time <
        FindChild(plain.breakdown, "optimizer")->time);
  const StepTime alone = Train(Llama8B(), LoadCluster("h100-sxm:8"), {.tp = 8, .zero = 1});
  CHECK(!HasPart(alone, "dp gradient reduce-scatter"));
}

TEST_CASE("stages keep a micro-batch for each stage after them, the last one its logits") {
  // Sixteen micro-batches over four stages: four alive on the first.
  const Cluster cluster = LoadCluster("h100-sxm:32");
  const StepTime step = Train(Llama70B(), cluster, {.tp = 8, .pp = 4}, {16, 4096});
  CHECK(step.memory.rank_stage == 0);
  const Node* activations = FindChild(step.memory.bytes, "activations");
  REQUIRE(activations != nullptr);
  const double layer = (2 * 8192 * (6 + 2 * 8.0 / 64) + 6 * 28'672 + 4 * 64) / 8;
  CHECK(activations->bytes.value() == doctest::Approx(4 * 20 * 4096 * layer));
  const StepTime few = Train(Llama70B(), cluster, {.tp = 8, .pp = 4}, {2, 4096});
  CHECK(FindChild(few.memory.bytes, "activations")->bytes < 0.51 * activations->bytes);
}

TEST_CASE("a tied table on two stages is added up between them") {
  const Llm tied = LoadLlm("llama-3.2-1b");
  const Cluster cluster = LoadCluster("h100-sxm:8");
  CHECK(HasPart(Train(tied, cluster, {.pp = 2}), "tied embedding all-reduce"));
  CHECK(!HasPart(Train(tied, cluster, {}), "tied embedding all-reduce"));
  CHECK(!HasPart(Train(Llama8B(), cluster, {.pp = 2}), "tied embedding all-reduce"));
}

TEST_CASE("one micro-batch is handed on at every stage border, forward and back") {
  Fit fit = LoadFit();
  fit.coefficients = RoundCoefficients();
  Options options;
  options.plan = Plan{.tp = 8, .pp = 4};
  options.fit = &fit;
  const StepTime step =
      PredictTrainStep(Llama70B(), LoadCluster("h100-sxm:32"), {1, 4096}, options);
  const Node* transfers = FindChild(step.breakdown, "pipeline send/receive");
  REQUIRE(transfers != nullptr);
  CHECK(transfers->count == 6);
  // 5 us, one hop of 10 us, and a rank's tokens through one NIC at 75 %.
  const double bytes = 4096.0 * 8192 * 2 / 8;
  CHECK(transfers->time.value() == doctest::Approx(6 * (15e-6 + bytes / 37.5e9)).epsilon(1e-12));
}

TEST_CASE("more micro-batches shrink the share of the pipeline bubble") {
  const Cluster cluster = LoadCluster("h100-sxm:32");
  const auto bubble = [&](std::int64_t batch) {
    const StepTime step = Train(Llama70B(), cluster, {.tp = 8, .pp = 4}, {batch, 4096});
    return FindChild(step.breakdown, "pipeline bubble")->time / step.time;
  };
  CHECK(bubble(4) > bubble(16));
  CHECK(bubble(16) > bubble(256));
  CHECK(bubble(4) < 0.5);
}

TEST_CASE("a batch that doesn't divide is refused with what it must be a multiple of") {
  CHECK_THROWS_WITH_AS(
      Train(Llama70B(), LoadCluster("h100-sxm:64"), {.tp = 8, .micro_batch = 2}, {24, 4096}),
      "global-batch=24: is not a multiple of dp 8 x micro-batch 2; use a multiple of 16",
      ArgumentError);
  CHECK_THROWS_WITH(Train(Llama70B(), LoadCluster("h100-sxm:64"), {.tp = 8}, {0, 4096}),
                    "global-batch=0: out of range; use a whole number from 1 to 10000000");
  CHECK_THROWS_WITH(Train(Llama70B(), LoadCluster("h100-sxm:64"), {.tp = 8}, {8, -1}),
                    "sequence=-1: out of range; use a whole number from 1 to 100000000");
}

TEST_CASE("without a plan the smallest tp that fits and divides the batch is taken") {
  // tp 1 leaves dp 64, which 32 sequences can't fill.
  const StepTime step = PredictTrainStep(Llama8B(), LoadCluster("h100-sxm:64"), {32, 2048});
  CHECK(step.plan.tp > 1);
  CHECK(step.fits);
  CHECK(step.assumptions.at("plan") ==
        FormatPlan(step.plan) + ", the smallest tensor parallelism that fits");
  CHECK_THROWS_WITH(PredictTrainStep(Llama8B(), LoadCluster("h100-sxm:64"), {1, 2048}),
                    "global-batch=1: is not a multiple of dp 64 x micro-batch 1; use a multiple "
                    "of 64");
}

TEST_CASE("huge inputs are predicted or refused, never endless") {
  const Cluster cluster = LoadCluster("h100-sxm", 10'000'000);
  const StepTime step = PredictTrainStep(Llama70B(), cluster, {10'000'000, 100'000'000});
  CHECK(step.time > Seconds(0));
  CHECK(!step.fits);
  CHECK_THROWS_AS(Train(Llama70B(), LoadCluster("h100-sxm:80"), {.pp = 80}, {10'000'000, 4096}),
                  ArgumentError);
  CHECK(Train(Llama70B(), LoadCluster("h100-sxm:1"), {}, {10'000'000, 4096}).time > Seconds(0));
}

}  // namespace roofcast
