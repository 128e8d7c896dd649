// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "models/kernels/attention.h"
#include "models/llm/config.h"
#include "models/memory/ledger.h"
#include "models/steps/memory_report.h"
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
Options With(const Plan& plan) {
  Options options;
  options.plan = plan;
  return options;
}

// Weights that a decode step reads on one rank: all but the token table.
Bytes WeightsRead(const Llm& llm, std::int64_t tp, const Precision& precision) {
  const Node weights = WeightsLedger(llm, {tp, 0, llm.LayerCount(), true, true}, precision);
  return weights.bytes - FindChild(weights, "embedding")->bytes;
}

}  // namespace

TEST_CASE("no decode step is faster than its weights from memory") {
  for (const std::int64_t tp : {1, 2, 4, 8}) {
    const Cluster cluster = LoadCluster("h100-sxm:8");
    for (const std::int64_t batch : {1, 64}) {
      const StepTime step = PredictDecode(Llama8B(), cluster, {batch, 1024}, With({.tp = tp}));
      CHECK(step.time >= WeightsRead(Llama8B(), tp, Precision{}) / cluster.device.memory.bandwidth);
      CHECK(step.tokens_per_s ==
            doctest::Approx(static_cast<double>(batch * step.plan.replicas) / step.time.value()));
    }
  }
}

TEST_CASE("Llama-3-8B in fp32 at 40 GB/s decodes at most 1.25 tokens a second") {
  // https://github.com/vllm-project/vllm/issues/7379: bandwidth over the bytes of all weights.
  Cluster cluster = LoadCluster("h100-sxm:1");
  cluster.device.memory.bandwidth = Bandwidth(40e9);
  Options options = With({});
  options.precision.weights = DType::kFp32;
  CHECK(PredictDecode(Llama8B(), cluster, {1, 0}, options).tokens_per_s < 1.25);
  // With nothing lost, what is read bounds it: all weights but the token table.
  Fit ideal = LoadFit();
  ideal.coefficients = IdealCoefficients();
  options.fit = &ideal;
  const double bound = 40e9 / (4 * (8'030'261'248.0 - 128'256.0 * 4096));
  CHECK(PredictDecode(Llama8B(), cluster, {1, 0}, options).tokens_per_s ==
        doctest::Approx(bound).epsilon(2e-3));
  CHECK(bound * (4 * 8'030'261'248.0 - 4 * 128'256.0 * 4096) / 32e9 == doctest::Approx(1.25));
}

TEST_CASE("with ideal coefficients a large prefill takes its FLOPs at the peak") {
  Fit ideal = LoadFit();
  ideal.coefficients = IdealCoefficients();
  Options options = With({});
  options.fit = &ideal;
  const Cluster cluster = LoadCluster("h100-sxm:1");
  const StepTime step = PredictPrefill(Llama8B(), cluster, {4, 4096}, options);
  const double layers = 32 * (218'112'000.0 - 8192);  // matrices of one layer
  const double head = 4 * 128'256.0 * 4096;           // last tokens alone
  const double scores = 32.0 * 4 * 4 * 4096 * 4096 * 4097 / 2;
  const double flops = 2 * 4 * 4096 * layers + 2 * head + scores;
  const double elementwise = [&] {
    double time = 0;
    for (const char* group : {"attention", "ffn", "embedding", "head"}) {
      for (const Node& leaf : FindChild(step.breakdown, group)->children) {
        if (leaf.bound == Bound::kMemory) time += leaf.time.value();
      }
    }
    return time;
  }();
  CHECK(step.time.value() - elementwise == doctest::Approx(flops / 989.4e12).epsilon(2e-3));
}

TEST_CASE("decode attends to one token more than is cached") {
  const Cluster cluster = LoadCluster("h100-sxm:1");
  const Fit assumed = LoadFit();
  Options options = With({});
  options.fit = &assumed;
  const StepTime step = PredictDecode(Llama8B(), cluster, {3, 99}, options);
  CHECK(FindChild(step.memory.bytes, "KV cache")->bytes == Bytes(131'072.0 * 3 * 100));
  const Attention core{.batch = 3, .queries = 1, .keys = 100, .heads = 32, .kv_heads = 8};
  const auto cost = CostOf<double>(core, cluster.device, assumed.coefficients);
  const Node* attention = FindChild(*FindChild(step.breakdown, "attention"), "attention");
  CHECK(attention->count == 32);
  CHECK(attention->time.value() == doctest::Approx(32 * cost.time.value()).epsilon(1e-12));
}

TEST_CASE("70B on one 80 GB GPU does not fit, says by how much, and still has a time") {
  const StepTime step = PredictDecode(Llama70B(), LoadCluster("h100-sxm:1"), {1, 1024});
  CHECK(!step.fits);
  CHECK(step.time > Seconds(0));
  REQUIRE(step.why.size() == 1);
  CHECK(step.why[0] ==
        "does not fit, 53.3 GiB over on each rank of stage 0: needs 133 GiB of 79.6 GiB");
  CHECK(step.assumptions.at("plan") == "tp1, though nothing fits");
  CHECK(step.memory.kv_tokens == 0);
  CHECK(step.memory.kv_concurrency == 0);
}

TEST_CASE("the smallest legal tp that fits is taken, replicas fill the rest") {
  const StepTime step = PredictDecode(Llama70B(), LoadCluster("h100-sxm:16"), {8, 4096});
  CHECK(step.fits);
  CHECK(step.plan.tp == 2);
  CHECK(step.plan.replicas == 8);
  const StepTime large = PredictDecode(Llama70B(), LoadCluster("h100-sxm:16"), {64, 4096});
  CHECK(large.plan.tp == 4);
  CHECK(PredictDecode(Llama70B(), LoadCluster("h100-sxm:16"), {64, 4096}, With({.tp = 2})).fits ==
        false);
}

TEST_CASE("replicas multiply tokens and leave the step as it is; idle devices are paid for") {
  const Options two = With({.tp = 2, .replicas = 2});
  const Options one = With({.tp = 2, .replicas = 1});
  const Cluster cluster = LoadCluster("h100-sxm:8");
  const StepTime twice = PredictDecode(Llama8B(), cluster, {8, 100}, two);
  const StepTime once = PredictDecode(Llama8B(), cluster, {8, 100}, one);
  CHECK(twice.time == once.time);
  CHECK(twice.tokens_per_s == 2 * once.tokens_per_s);
  CHECK(once.tokens_per_s_per_device == once.tokens_per_s / 8);
}

TEST_CASE("a pipeline doesn't speed up one batch, and holds a part of the model") {
  const Cluster cluster = LoadCluster("h100-sxm:8");
  const StepTime whole = PredictDecode(Llama8B(), cluster, {1, 1024}, With({}));
  const StepTime staged = PredictDecode(Llama8B(), cluster, {1, 1024}, With({.pp = 4}));
  CHECK(staged.time > whole.time);
  CHECK(staged.time < 1.02 * whole.time);
  CHECK(staged.memory.bytes.bytes < 0.4 * whole.memory.bytes.bytes);
  CHECK(FindChild(staged.breakdown, "pipeline send/receive")->count == 3);
}

TEST_CASE("time grows with batch, with context, with input") {
  const Cluster cluster = LoadCluster("h100-sxm:8");
  const Options options = With({.tp = 8});
  Seconds before;
  for (const std::int64_t n : {1, 2, 7, 64, 256, 1000}) {
    const Seconds batch = PredictDecode(Llama70B(), cluster, {n, 1000}, options).time;
    // Kernels switch with the size, and a fit may put the new one a little lower.
    CHECK(batch >= 0.97 * before);
    CHECK(PredictDecode(Llama70B(), cluster, {8, n * 100}, options).time >=
          PredictDecode(Llama70B(), cluster, {8, n * 50}, options).time);
    CHECK(PredictPrefill(Llama70B(), cluster, {1, n * 10}, options).time >=
          PredictPrefill(Llama70B(), cluster, {1, n * 5 + 2}, options).time);
    before = batch;
  }
}

TEST_CASE("memory tells how many tokens and sequences the cache holds") {
  const Cluster cluster = LoadCluster("h100-sxm:1");
  const StepTime step = PredictMemory(Llama8B(), cluster, {.max_length = 8192}, With({}));
  const MemoryReport& memory = step.memory;
  CHECK(step.time == Seconds(0));
  CHECK(memory.kv_bytes_per_token == Bytes(131'072));
  const double rest = memory.capacity.value() - 16'060'522'496.0 - 1.25 * 1024 * 1024 * 1024 -
                      FindChild(memory.bytes, "workspace")->bytes.value();
  CHECK(memory.kv_tokens == static_cast<std::int64_t>(std::floor(rest / 131'072)));
  CHECK(memory.kv_concurrency == memory.kv_tokens / 8192);
  CHECK(PredictMemory(Llama8B(), cluster, {}, With({})).memory.kv_length == 131'072);
}

TEST_CASE("the stage with the least room decides how many tokens the cache holds") {
  Llm llm = Llama8B();  // the first half of the layers caches four times as much
  Layer wide = llm.kinds[0];
  wide.attention.kv_heads = 32;
  llm.kinds.push_back(wide);
  std::fill_n(llm.layers.begin(), 16, 1);
  const Cluster cluster = LoadCluster("h100-sxm:2");
  const auto memory = PredictMemory(llm, cluster, {.max_length = 8192}, With({.pp = 2})).memory;
  CHECK(memory.kv_bytes_per_token == Bytes(4.0 * 65'536));
  CHECK(memory.rank_stage == 0);
  const Bytes room = memory.headroom + FindChild(memory.bytes, "KV cache")->bytes;
  CHECK(memory.kv_tokens == static_cast<std::int64_t>(std::floor(room / Bytes(4.0 * 65'536))));
}

TEST_CASE("a length beyond the config's is marked") {
  const Cluster cluster = LoadCluster("h100-sxm:8");
  const Fit assumed = LoadFit();  // without ranges of its own
  Options options;
  options.fit = &assumed;
  CHECK(PredictPrefill(Llama8B(), cluster, {1, 131'072}, options).extrapolated.empty());
  CHECK(PredictPrefill(Llama8B(), cluster, {1, 131'073}, options).extrapolated ==
        std::vector<std::string>{"length 131073 is beyond the 131072 positions of llama-3.1-8b"});
  // With a fit, sizes beyond what was measured are named as well.
  const auto fitted = PredictPrefill(Llama8B(), cluster, {1, 131'072}).extrapolated;
  CHECK(std::any_of(fitted.begin(), fitted.end(), [](const std::string& text) {
    return text.starts_with("gemm bf16: ") && text.find("is outside") != std::string::npos;
  }));
}

TEST_CASE("a device without bf16 runs fp16, one without fp8 widens, and the step says so") {
  const StepTime t4 = PredictDecode(LoadLlm("mistral-7b"), LoadCluster("t4:2"), {1, 100});
  CHECK(t4.assumptions.at("residual") == "fp16, since t4 has no bf16 matrix rate");
  CHECK(t4.assumptions.at("precision") == "weights fp16, activations fp16, KV fp16");
  const StepTime a100 =
      PredictDecode(LoadLlm("deepseek-v3"), LoadCluster("a100-sxm:16"), {1, 100}, With({.tp = 16}));
  CHECK(a100.assumptions.at("activations") == "bf16, since a100-sxm has no fp8 matrix rate");
  Options asked = With({});
  asked.precision.activations = DType::kFp8;
  CHECK_THROWS_AS(PredictDecode(Llama8B(), LoadCluster("a100-sxm:1"), {1, 100}, asked),
                  ArgumentError);
}

TEST_CASE("loads out of range are refused, the largest ones are predicted") {
  const Cluster cluster = LoadCluster("h100-sxm:8");
  CHECK_THROWS_WITH_AS(PredictDecode(Llama8B(), cluster, {-1, 100}),
                       "batch=-1: out of range; use a whole number from 1 to 1000000",
                       ArgumentError);
  CHECK_THROWS_WITH(PredictDecode(Llama8B(), cluster, {1, -1}),
                    "context=-1: out of range; use a whole number from 0 to 100000000");
  CHECK_THROWS_WITH(PredictPrefill(Llama8B(), cluster, {1, 0}),
                    "input=0: out of range; use a whole number from 1 to 100000000");
  CHECK_THROWS_WITH(PredictMemory(Llama8B(), cluster, {.max_length = -5}),
                    "max-length=-5: out of range; use a whole number from 0 to 100000000");
  const Cluster huge = LoadCluster("h100-sxm", 10'000'000);
  for (const char* model : {"llama-3.1-70b", "deepseek-v3", "gpt-oss-20b"}) {
    const Llm llm = LoadLlm(model);
    const StepTime decode = PredictDecode(llm, huge, {1'000'000, 100'000'000});
    const StepTime prefill = PredictPrefill(llm, huge, {1'000'000, 100'000'000});
    CHECK(std::isfinite(decode.time.value()));
    CHECK(prefill.time > decode.time);
    CHECK(!prefill.fits);
  }
}

}  // namespace roofcast
