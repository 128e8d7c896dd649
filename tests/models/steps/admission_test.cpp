// SPDX-License-Identifier: Apache-2.0
// KV cache that engines set up, against what they logged when they started.
#include "models/steps/admission.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "hardware/catalog.h"
#include "models/llm/config.h"
#include "models/steps/predict.h"

namespace roofcast {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

struct Start {
  const char* engine;
  const char* version;
  const char* model;
  const char* cluster;
  std::int64_t tp;
  std::int64_t length;
  double fraction;              // 0: the default
  std::int64_t batched_tokens;  // 0: the default
  std::optional<DType> weights = std::nullopt;
};

StepTime Predicted(const Start& start) {
  const Llm llm = LoadLlm(start.model);
  const Cluster cluster = LoadCluster(start.cluster);
  const Engine engine = LoadEngine(start.engine, start.version);
  MemoryLoad load;
  load.max_length = start.length;
  load.engine.engine = &engine;
  if (start.fraction > 0) load.engine.memory_fraction = start.fraction;
  if (start.batched_tokens > 0) load.engine.batched_tokens = start.batched_tokens;
  Options options;
  options.plan.emplace();
  options.plan->tp = start.tp;
  options.precision.weights = start.weights;
  return PredictMemory(llm, cluster, load, options);
}

Bytes LineOf(const StepTime& step, const char* name) {
  const Node* node = FindChild(step.memory.bytes, name);
  REQUIRE(node != nullptr);
  return node->bytes;
}

}  // namespace

TEST_CASE("Llama-3.1-8B on an RTX 4090 with vLLM 0.19 gets 41,408 KV tokens within 6 %") {
  // https://github.com/casys-kaist/LLMServingSim at 5daddb2, bench/examples/RTX4090: 2588 blocks of
  // 16 tokens, of 25,250,627,584 bytes of device memory.
  const StepTime step =
      Predicted({"vllm", "0.19", "llama-3.1-8b", "rtx-4090:1", 1, 16'384, 0.9, 2048});
  CHECK(step.memory.kv.layout.block == 16);
  CHECK(step.memory.kv_tokens == step.memory.kv.blocks * 16);
  MESSAGE("KV tokens ", step.memory.kv_tokens, " of 41408");
  CHECK(Number(step.memory.kv_tokens) == doctest::Approx(41'408).epsilon(0.06));
  const Bytes offered = step.memory.capacity - LineOf(step, "kept by the driver");
  CHECK(offered.value() == doctest::Approx(25'250'627'584.0).epsilon(1e-3));
  // 1.24 GB is neither weights nor KV cache, each part with a figure of its own.
  const Bytes overhead =
      LineOf(step, "activation peak") + LineOf(step, "libraries and collectives");
  CHECK(overhead.value() == doctest::Approx(1.24e9).epsilon(0.15));
}

TEST_CASE("peaks of profiled passes are hidden states and the logits of the most sequences") {
  // llm-d-benchmark at 2593348, config_explorer/empirical-vllm-memory-results.md: H100, V1 engine.
  struct Peak {
    const char* model;
    double gib;
  };
  for (const Peak& peak : {Peak{"llama-3.1-8b", 4.76},
                           Peak{"gpt-oss-20b", 7.38},
                           Peak{"qwen3-0.6b", 5.56},
                           Peak{"qwen3-32b", 5.64}}) {
    CAPTURE(peak.model);
    const StepTime step = Predicted({"vllm", "0.10", peak.model, "h100-sxm:1", 1, 8192, 0, 0});
    CHECK(LineOf(step, "activation peak") / Bytes(kGib) == doctest::Approx(peak.gib).epsilon(0.01));
  }
  // https://github.com/vllm-project/vllm/pull/10511: the V0 engine reads 8192 tokens at once.
  const StepTime llama =
      Predicted({"vllm", "0.6.5", "llama-3.1-8b", "h100-sxm:1", 1, 8192, 0, 8192});
  CHECK(LineOf(llama, "activation peak") / Bytes(kGib) == doctest::Approx(1.26).epsilon(0.03));
  // https://github.com/vllm-project/vllm/issues/13882, where the weights are of another format.
  const StepTime qwen = Predicted({"vllm", "0.7", "qwen2.5-7b", "h100-sxm:1", 1, 4096, 0, 4096});
  CHECK(LineOf(qwen, "activation peak") / Bytes(kGib) == doctest::Approx(1.42).epsilon(0.01));
}

TEST_CASE("KV memory of published start logs") {
  struct Log {
    Start start;
    double gib;  // of KV cache on one device
    double tolerance;
  };
  // llm-d-benchmark at 2593348, H100 of 79.18 GiB, from whose parts the rule's figures are. Then
  // https://github.com/vllm-project/vllm/issues/13061 (two RTX 4090: 81,536 tokens of 98,304 bytes
  // on each) and 21348 (four H100: SGLang twice 8.234 GiB, vLLM 8.11 GiB).
  const Log logs[] = {
      {{"vllm", "0.10", "llama-3.1-8b", "h100-sxm:1", 1, 16'000, 0, 0}, 51.38, 0.01},
      {{"vllm", "0.10", "qwen3-0.6b", "h100-sxm:1", 1, 16'000, 0, 0}, 64.45, 0.01},
      {{"vllm", "0.10", "gpt-oss-20b", "h100-sxm:1", 1, 16'000, 0, 0}, 50.28, 0.02},
      {{"vllm", "0.10", "qwen3-32b", "h100-sxm:1", 1, 16'000, 0, 0}, 4.45, 0.06},
      {{"vllm", "0.10", "llama-3.3-70b", "h100-sxm:2", 2, 16'000, 0, 0, DType::kFp8}, 32.0, 0.06},
      {{"vllm", "0.7.2", "qwen2.5-14b", "rtx-4090:2", 2, 32'768, 0.98, 0}, 7.465, 0.06},
      {{"sglang", "0.5.4", "qwen3-235b-a22b", "h100-sxm:4", 4, 40'960, 0.93, 0, DType::kFp8},
       16.468,
       0.06},
      // Its ranks hold more beside tensors than two do; nobody logged how much.
      {{"vllm", "0.9", "qwen3-235b-a22b", "h100-sxm:4", 4, 40'960, 0, 0, DType::kFp8}, 8.11, 0.2},
  };
  for (const Log& log : logs) {
    CAPTURE(log.start.model);
    CAPTURE(log.start.engine);
    const StepTime step = Predicted(log.start);
    const double gib = step.memory.kv.pool / Bytes(kGib);
    const std::string name =
        std::string(log.start.engine) + " " + log.start.version + " " + log.start.model;
    MESSAGE(name, ": ", gib, " GiB, logged ", log.gib, ": ", 100 * (gib / log.gib - 1), " %");
    CHECK(gib == doctest::Approx(log.gib).epsilon(log.tolerance));
  }
}

TEST_CASE("the ledger of an engine sums to the device's memory exactly") {
  for (const char* engine :
       {"vllm-0.6", "vllm-0.8", "vllm-v1", "vllm-0.21", "sglang", "tensorrt-llm-1", "llama-cpp"}) {
    CAPTURE(engine);
    const Llm llm = LoadLlm("llama-3.1-8b");
    const Cluster cluster = LoadCluster("h100-sxm:1");
    const Engine loaded = LoadEngine(engine);
    MemoryLoad load;
    load.max_length = 8192;
    load.engine.engine = &loaded;
    const StepTime step = PredictMemory(llm, cluster, load);
    CHECK(step.fits);
    CHECK(step.memory.headroom.value() == doctest::Approx(0).epsilon(1));
    CHECK(step.memory.bytes.bytes.value() ==
          doctest::Approx(step.memory.capacity.value()).epsilon(1e-12));
    CHECK(step.memory.kv_concurrency >= 1);
  }
}

TEST_CASE("SGLang's default fraction follows from what it holds back") {
  // 24,564 MiB: 512 + 2048 x 1.5 + 24 x 2 + 128; 81,559 MiB: 512 + 8192 x 1.5 + 256 x 2 + 128.
  const Engine engine = LoadEngine("sglang");
  EngineChoice choice;
  choice.engine = &engine;
  Plan plan;
  plan.tp = 1;
  const auto fraction = [&](const char* device) {
    return SettleAdmission(choice, LoadDevice(device), plan).fraction;
  };
  CHECK(fraction("rtx-4090") == doctest::Approx(0.847));
  CHECK(fraction("h100-sxm") == doctest::Approx(0.835));
}

TEST_CASE("TensorRT-LLM takes its fraction of what is free after everything else") {
  const StepTime step =
      Predicted({"tensorrt-llm", "1.0", "llama-3.1-8b", "h100-sxm:1", 1, 8192, 0, 0});
  Bytes rest = step.memory.capacity;
  for (const char* name : {"kept by the driver",
                           "weights",
                           "activation peak",
                           "context",
                           "libraries and collectives",
                           "graphs"}) {
    rest = rest - LineOf(step, name);
  }
  const Bytes block = step.memory.kv_bytes_per_token * 32.0;
  CHECK(step.memory.kv.pool <= 0.9 * rest);
  CHECK(step.memory.kv.pool > 0.9 * rest - block);
}

TEST_CASE("blocks are those of the pipeline stage with the fewest") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const Cluster cluster = LoadCluster("l40s:2");
  const Engine engine = LoadEngine("vllm");
  MemoryLoad load;
  load.max_length = 8192;
  load.engine.engine = &engine;
  Options options;
  options.plan.emplace();
  options.plan->pp = 2;
  const StepTime step = PredictMemory(llm, cluster, load, options);
  // Both stages have 16 layers, a token table or a head; the last one samples as well.
  CHECK(step.memory.rank_stage == 1);
  CHECK(step.memory.kv_tokens == step.memory.kv.blocks * 16);
}

TEST_CASE("an engine that has no room says how much is missing") {
  // llm-d-benchmark: 70B in 8 bits on one H100 leaves -1.44 GiB.
  const StepTime step =
      Predicted({"vllm", "0.10", "llama-3.3-70b", "h100-sxm:1", 1, 16'000, 0, 0, DType::kFp8});
  CHECK_FALSE(step.fits);
  CHECK(step.memory.kv_tokens == 0);
  CHECK(step.memory.headroom < Bytes(0));
  REQUIRE(step.why.size() == 1);
  CHECK(step.why.front().find("KV cache") != std::string::npos);
}

TEST_CASE("a version is served by the rule that holds for it, others are refused") {
  CHECK(LoadEngine("vllm", "0.19").name == "vllm-v1");
  CHECK(LoadEngine("vllm", "v0.20.2").name == "vllm-v1");
  CHECK(LoadEngine("vllm", "0.8.5").name == "vllm-0.8");
  CHECK(LoadEngine("vllm", "0.27.1").name == "vllm-0.21");
  CHECK(LoadEngine("vllm", "0.7").name == "vllm-0.6");
  CHECK_THROWS_WITH_AS(
      LoadEngine("vllm", "0.5"),
      "engine-version: no rule for vllm 0.5; there are rules for 0.21 and later, 0.6 to 0.7, "
      "0.8 to 0.9, 0.10 to 0.20",
      ArgumentError);
  CHECK_THROWS_AS(LoadEngine("vllm", "latest"), ArgumentError);
  CHECK_THROWS_AS(LoadEngine("vllm", "0.99999999999999999999"), ArgumentError);
}

TEST_CASE("what is an engine's is refused without one, and what is out of range with one") {
  EngineChoice choice;
  choice.memory_fraction = 0.9;
  CHECK_THROWS_AS(SettleAdmission(choice, LoadDevice("h100-sxm"), {}), ArgumentError);
  const Engine engine = LoadEngine("vllm");
  choice.engine = &engine;
  for (const double fraction : {0.0, -1.0, 1.5, std::nan("")}) {
    choice.memory_fraction = fraction;
    CHECK_THROWS_AS(SettleAdmission(choice, LoadDevice("h100-sxm"), {}), ArgumentError);
  }
  EngineChoice policy;
  CHECK_THROWS_AS(ParseKvPolicy("paged", policy), ArgumentError);
  CHECK_THROWS_AS(ParseKvPolicy("", policy), ArgumentError);
  CHECK_THROWS_AS(ParseKvPolicy("full,window", policy), ArgumentError);
  ParseKvPolicy("full,expanded", policy = {});
  CHECK(policy.policy == KvPolicy::kFull);
  CHECK(policy.latent == LatentForm::kExpanded);
}

}  // namespace roofcast
