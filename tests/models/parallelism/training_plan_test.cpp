// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/parallelism/plan.h"

namespace roofcast {
namespace {

std::string RefusalOf(const Plan& plan, const char* model = "mixtral-8x7b", int devices = 64) {
  try {
    SettleTrainingPlan(LoadLlm(model), LoadCluster("h100-sxm", devices), plan);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}
Plan Settled(const Plan& plan) {
  return SettleTrainingPlan(LoadLlm("mixtral-8x7b"), LoadCluster("h100-sxm:64"), plan);
}

}  // namespace

TEST_CASE("context parallelism takes its devices before data parallelism does") {
  CHECK(Settled({.tp = 4, .pp = 2, .cp = 2}).dp == 4);
  CHECK(RefusalOf({.tp = 4, .cp = 3}) ==
        "plan: tp 4 x pp 1 x cp 3 = 12 devices do not divide the 64 of h100-sxm:64; dp = devices "
        "/ (tp pp cp) must be whole");
  CHECK(RefusalOf({.cp = 0}) ==
        "cp=0: needs a whole number from 1 to 1000000; leave it out for the default");
}

TEST_CASE("experts are carved out of tp x cp x dp") {
  CHECK(RefusalOf({.tp = 2, .pp = 2, .ep = 8}).empty());
  CHECK(MoeTpOf({.tp = 4}) == 4);
  CHECK(MoeTpOf({.tp = 4, .ep = 8}) == 1);
  CHECK(MoeTpOf({.tp = 4, .ep = 8, .moe_tp = 2}) == 2);
  CHECK(RefusalOf({.ep = 3}) == "ep=3: does not divide 8 experts of mixtral-8x7b; use a divisor");
  CHECK(RefusalOf({.pp = 16, .ep = 8}) ==
        "ep=8: times moe-tp 1 does not divide tp x cp x dp = 4, which it is carved out of; use a "
        "divisor");
  CHECK(RefusalOf({.tp = 2, .ep = 8, .sequence_parallel = false}) ==
        "ep=8: needs sequence parallelism with tp 2, which deals the tokens to the experts; leave "
        "--no-sequence-parallel out");
  CHECK(RefusalOf({.tp = 2, .ep = 4, .moe_tp = 4}) ==
        "moe-tp=4: does not divide tp 2; use a divisor");
  CHECK(RefusalOf({.ep = 2}, "llama-3.1-8b") ==
        "ep=2: llama-3.1-8b has no experts; leave ep and moe-tp out");
}

TEST_CASE("states are sharded over dp x cp, of experts over the ranks that hold the same ones") {
  const Plan plan = Settled({.tp = 2, .pp = 2, .cp = 2, .ep = 8, .zero = 1});
  CHECK(ShardRanks(plan) == 16);
  CHECK(ExpertShardRanks(plan) == 4);  // 32 ranks of a stage, eight of which hold all experts
  CHECK(ShardRanks(Settled({.tp = 2, .pp = 2})) == 1);
  CHECK(ShardRanks(Settled({.zero = 3, .shard = 8})) == 8);
  CHECK(RefusalOf({.zero = 3, .shard = 5}) ==
        "shard=5: does not divide dp x cp = 64; use a divisor, or leave it out to shard over all "
        "of them");
  CHECK(RefusalOf({.shard = 8}) == "shard=8: says how far ZeRO shards; use it with zero 1, 2 or 3");
  CHECK(RefusalOf({.ep = 8, .zero = 3, .shard = 4}) ==
        "shard=4: times tp is no multiple of moe-tp x ep = 8; use one that is");
}

TEST_CASE("virtual stages need a pipeline and a layer each") {
  CHECK(Settled({.pp = 4, .vpp = 8}).vpp == 8);
  CHECK(RefusalOf({.vpp = 2}) == "vpp=2: interleaves the stages of a pipeline; use pp from 2");
  CHECK(RefusalOf({.pp = 8, .vpp = 5}) ==
        "vpp=5: makes 40 chunks of the 32 layers of mixtral-8x7b; use at most 4");
  CHECK(RefusalOf({.pp = 2, .stage_layers = {10, 10}}) ==
        "stages: 20 layers in all on 2 stages; list what each of 2 has of the 32 layers of "
        "mixtral-8x7b");
  CHECK(RefusalOf({.pp = 2, .stage_layers = {16, 16}}).empty());
}

TEST_CASE("stages are written as a rule or as a list") {
  Plan plan;
  CHECK(!StagesText(plan));
  SetStages("by-cost", plan);
  CHECK(plan.stages == StageRule::kByCost);
  CHECK(StagesText(plan) == "by-cost");
  SetStages("20,12", plan);
  CHECK(plan.stage_layers == std::vector<std::int64_t>{20, 12});
  CHECK(StagesText(plan) == "20,12");
  CHECK_THROWS_WITH_AS(SetStages("20,", plan),
                       "stages: '20,' is neither a rule nor a list of layers; use even, by-cost or "
                       "by-cost-passing, or as 20,20,21,19",
                       ArgumentError);
}

TEST_CASE("serving refuses what only training has") {
  const Llm llm = LoadLlm("mixtral-8x7b");
  const Cluster cluster = LoadCluster("h100-sxm:8");
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.cp = 2}),
                    "cp=2: is not modelled in serving; leave it out");
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.ep = 8}),
                    "ep=8: is not modelled in serving; leave it out");
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.vpp = 2}),
                    "vpp=2: is for training; leave it out");
}

}  // namespace roofcast
