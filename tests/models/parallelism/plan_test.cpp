// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/plan.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "models/llm/config.h"

namespace roofcast {
namespace {

std::string RefusalOf(std::string_view text) {
  try {
    ParsePlan(text);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}
using Settle = Plan (*)(const Llm&, const Cluster&, Plan);
std::string RefusalOf(Settle settle, const Plan& plan, std::int64_t devices = 64) {
  static const Llm llm = LoadLlm("llama-3.1-70b");
  try {
    settle(llm, LoadCluster("h100-sxm", devices), plan);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}
std::vector<std::int64_t> LegalOf(const char* model, std::int64_t most) {
  return LegalTp(LoadLlm(model), most);
}

}  // namespace

TEST_CASE("a plan reads back from its text") {
  for (const Plan& plan : {Plan{},
                           Plan{.tp = 8},
                           Plan{.pp = 4},
                           Plan{.dp = 2},
                           Plan{.tp = 8, .pp = 4, .dp = 2},
                           Plan{.tp = 64, .dp = 1024},
                           Plan{.tp = 8, .pp = 4, .dp = 2, .cp = 2, .ep = 16, .vpp = 5}}) {
    CAPTURE(FormatPlan(plan));
    CHECK(ParsePlan(FormatPlan(plan)) == plan);
  }
  CHECK(FormatPlan({}) == "tp1");
  CHECK(FormatPlan({.tp = 8, .pp = 4, .dp = 2}) == "tp8-pp4-dp2");
  CHECK(FormatPlan({.pp = 4, .cp = 2, .ep = 8, .vpp = 2}) == "pp4-cp2-ep8-vpp2");
  CHECK(FormatPlan({.tp = 1, .pp = 2, .dp = 1}) == "pp2");
  CHECK(ParsePlan("dp2-tp8") == Plan{.tp = 8, .dp = 2});
}

TEST_CASE("text that is no plan is refused with what to write") {
  const std::string cure =
      "' is not a degree; write tp, pp, dp, cp, ep or vpp with a number, as tp8-pp4-dp2";
  CHECK(RefusalOf("tp8-xp4") == "plan: 'xp4' in 'tp8-xp4" + cure);
  CHECK(RefusalOf("tp") == "plan: 'tp' in 'tp" + cure);
  CHECK(RefusalOf("") == "plan: '' in '" + cure);
  CHECK(RefusalOf("tp8-") == "plan: '' in 'tp8-" + cure);
  CHECK(RefusalOf("tp0") == "plan: 'tp0' in 'tp0" + cure);
  CHECK(RefusalOf("tp8.5") == "plan: 'tp8.5' in 'tp8.5" + cure);
  CHECK(RefusalOf("tp99999999999999999999") ==
        "plan: 'tp99999999999999999999' in 'tp99999999999999999999" + cure);
  CHECK(RefusalOf("tp8-tp8") == "plan: tp is given twice in 'tp8-tp8'; keep one");
}

TEST_CASE("legal tp divides query heads, and divides KV heads or is a multiple of them") {
  CHECK(LegalOf("llama-3.1-70b", 128) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64});
  CHECK(LegalOf("llama-3.1-70b", 9) == std::vector<std::int64_t>{1, 2, 4, 8});
  // MLA has no KV heads to split.
  CHECK(LegalOf("deepseek-v3", 256) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128});
  // 14 query heads would allow 7, two KV heads don't; 64 of gpt-oss allow all powers of two.
  CHECK(LegalOf("qwen2.5-0.5b", 14) == std::vector<std::int64_t>{1, 2});
  CHECK(LegalOf("gpt-oss-20b", 64) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64});
  // 96 query heads allow 6, eight KV heads don't (the shape of GLM-4.5).
  Llm wide = LoadLlm("llama-3.1-70b");
  wide.kinds[0].attention.heads = 96;
  wide.kinds[0].ffn.width = 12'288;
  CHECK(LegalTp(wide, 96) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 24, 32, 48, 96});
}

TEST_CASE("a tp that can't be is refused with the legal values") {
  const std::string legal = " of llama-3.1-70b; use 1, 2, 4, 8, 16, 32 or 64";
  for (const Settle settle : {SettleTrainingPlan, SettleServingPlan}) {
    CHECK(RefusalOf(settle, {.tp = 3}) == "tp=3: does not divide 64 query heads" + legal);
    CHECK(RefusalOf(settle, {.tp = 128}) == "tp=128: does not divide 64 query heads" + legal);
    CHECK(RefusalOf(settle, {.tp = 0}) ==
          "tp=0: needs a whole number from 1 to 1000000; leave it out for the default");
    CHECK(RefusalOf(settle, {.pp = -1}) ==
          "pp=-1: needs a whole number from 1 to 1000000; leave it out for the default");
    CHECK(RefusalOf(settle, {.micro_batch = 0}) ==
          "micro-batch=0: needs a whole number from 1 to 1000000; leave it out for the default");
    CHECK(RefusalOf(settle, {.pp = 81}) ==
          "pp=81: more stages than the 80 layers of llama-3.1-70b; use at most 80");
  }
  Llm llm = LoadLlm("llama-3.1-70b");
  const Cluster cluster = LoadCluster("h100-sxm:64");
  llm.kinds[0].attention.kv_heads = 6;
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.tp = 4}),
                    "tp=4: neither divides 6 KV heads nor is a multiple of them of "
                    "llama-3.1-70b; use 1 or 2");
  llm.kinds[0].attention.kv_heads = 8;
  llm.kinds[0].ffn.width = 28'674;
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.tp = 4}),
                    "tp=4: does not divide the FFN width 28674 of llama-3.1-70b; use 1 or 2");
  llm.kinds[0].ffn.width = 28'672;
  llm.kinds[0].ffn.shared_width = 513;
  CHECK_THROWS_WITH(SettleServingPlan(llm, cluster, {.tp = 2}),
                    "tp=2: does not divide the shared experts' width 513 of llama-3.1-70b; use 1");
}

// vLLM's rule for groups of B and C, and for heads of keys.
TEST_CASE("recurrent groups are split over tp, and only a single one is copied") {
  CHECK(LegalOf("nemotron-nano-9b-v2", 16) == std::vector<std::int64_t>{1, 2, 4, 8});
  CHECK(LegalOf("falcon-h1-34b", 8) == std::vector<std::int64_t>{1, 2});
  CHECK(LegalOf("granite-4.0-h-small", 8) == std::vector<std::int64_t>{1, 2, 4, 8});
}

TEST_CASE("training takes the dp that the devices leave") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  const Cluster cluster = LoadCluster("h100-sxm:64");
  CHECK(SettleTrainingPlan(llm, cluster, {.tp = 8, .pp = 4}).dp == 2);
  CHECK(SettleTrainingPlan(llm, cluster, {.tp = 8, .pp = 4, .dp = 2}).dp == 2);
  CHECK(SettleTrainingPlan(llm, cluster, {}).dp == 64);
  CHECK(RefusalOf(SettleTrainingPlan, {.tp = 8, .pp = 3}) ==
        "plan: tp 8 x pp 3 = 24 devices do not divide the 64 of h100-sxm:64; dp = devices / "
        "(tp pp) must be whole");
  CHECK(RefusalOf(SettleTrainingPlan, {.tp = 8, .pp = 4}, 16) ==
        "plan: tp 8 x pp 4 = 32 devices do not divide the 16 of h100-sxm:16; dp = devices / "
        "(tp pp) must be whole");
  CHECK(RefusalOf(SettleTrainingPlan, {.tp = 8, .pp = 4, .dp = 4}) ==
        "dp=4: tp 8 x pp 4 leaves dp 2 on the 64 devices of h100-sxm:64; use that or leave dp out");
  CHECK(RefusalOf(SettleTrainingPlan, {.zero = 4}) == "zero=4: is not modelled; use 0, 1, 2 or 3");
  CHECK(RefusalOf(SettleTrainingPlan, {.zero = -1}) ==
        "zero=-1: is not modelled; use 0, 1, 2 or 3");
  CHECK(RefusalOf(SettleTrainingPlan, {.replicas = 2}) ==
        "replicas=2: are copies for serving; use dp in training");
}

TEST_CASE("serving makes replicas of the devices that are left over") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  const Cluster cluster = LoadCluster("h100-sxm:64");
  CHECK(SettleServingPlan(llm, cluster, {.tp = 8}).replicas == 8);
  CHECK(SettleServingPlan(llm, cluster, {.tp = 8, .pp = 3}).replicas == 2);
  CHECK(SettleServingPlan(llm, cluster, {.tp = 8, .replicas = 3}).replicas == 3);
  CHECK(SettleServingPlan(llm, cluster, {.tp = 8}).dp == 1);
  CHECK(RefusalOf(SettleServingPlan, {.tp = 8, .replicas = 9}) ==
        "replicas=9: 64 devices hold 8 copies of tp 8 x pp 1; use at most that");
  CHECK(RefusalOf(SettleServingPlan, {.tp = 8, .pp = 4}, 16) ==
        "plan: tp 8 x pp 4 = 32 devices are more than the 16 of h100-sxm:16; use a smaller plan "
        "or a larger cluster");
  for (const std::int64_t dp : {2, -3}) {
    CHECK(RefusalOf(SettleServingPlan, {.dp = dp}) ==
          "dp=" + std::to_string(dp) +
              ": attention data parallelism is not modelled; use replicas for independent copies");
  }
}

}  // namespace roofcast
