// SPDX-License-Identifier: Apache-2.0
// Lines as engines print them, in the wordings of several generations.
#include "models/serving/engine_log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "hardware/cluster.h"
#include "models/engine.h"
#include "models/llm/config.h"
#include "models/steps/predict.h"

namespace roofcast {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

double Gib(const std::optional<Bytes>& bytes) {
  REQUIRE(bytes.has_value());
  return bytes->value() / kGib;
}

StepTime Memory(const char* model, const char* engine, std::int64_t length) {
  const Engine loaded = LoadEngine(engine);
  MemoryLoad load;
  load.max_length = length;
  load.engine.engine = &loaded;
  return PredictMemory(LoadLlm(model), LoadCluster("h100-sxm:1"), load);
}

}  // namespace

TEST_CASE("vLLM's V0 lines are read: profile, blocks and concurrency") {
  const EngineLog log = ReadEngineLog(
      "INFO 02-26 09:54:02 llm_engine.py:234] Initializing an LLM engine (v0.7.3) with config: "
      "model='Qwen/Qwen2.5-7B', speculative_config=None, max_seq_len=4096, "
      "tensor_parallel_size=2, pipeline_parallel_size=1, dtype=torch.float16\n"
      "INFO 02-26 09:54:02 model_runner.py:1115] Loading model weights took 5.2032 GB\n"
      "INFO 02-26 09:54:05 worker.py:267] the current vLLM instance can use total_gpu_memory "
      "(8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB\n"
      "INFO 02-26 09:54:05 worker.py:267] model weights take 5.20GiB; non_torch_memory takes "
      "0.03GiB; PyTorch activation peak memory takes 1.42GiB; the rest of the memory reserved for "
      "KV Cache is -1.05GiB.\n"
      "INFO 02-26 09:54:05 executor_base.py:111] # cuda blocks: 0, # CPU blocks: 4681\n"
      "INFO 02-26 09:54:05 executor_base.py:116] Maximum concurrency for 4096 tokens per request: "
      "0.00x\n");
  CHECK(log.product == "vllm");
  CHECK(log.version == "0.7.3");
  CHECK(log.model == "Qwen/Qwen2.5-7B");
  CHECK(log.tp == 2);
  CHECK(log.max_length == 4096);
  CHECK(log.memory_fraction == 0.7);
  CHECK(Gib(log.weights) == doctest::Approx(5.2032));
  CHECK(Gib(log.total) == doctest::Approx(8));
  CHECK(Gib(log.libraries) == doctest::Approx(0.03));
  CHECK(Gib(log.activation_peak) == doctest::Approx(1.42));
  CHECK(Gib(log.kv_cache) == doctest::Approx(-1.05));
  CHECK(log.kv_blocks == 0);
  CHECK(log.concurrency == 0.0);
  CHECK(log.missing.empty());
}

TEST_CASE("vLLM's V1 lines are read behind prefixes and colours") {
  const EngineLog log = ReadEngineLog(
      "\x1b[1;36m(EngineCore pid=107)\x1b[0;0m INFO 07-06 22:50:46 [core.py:114] Initializing a V1 "
      "LLM engine (v0.24.0) with config: model='/models/x', max_seq_len=131072, "
      "tensor_parallel_size=1,\r\n"
      "(APIServer pid=1) INFO [api_utils.py:273] non-default args: {'max_num_batched_tokens': "
      "8192, "
      "'max_num_seqs': 1, 'gpu_memory_utilization': 0.92}\n"
      "(EngineCore pid=107) INFO [gpu_model_runner.py:5405] Model loading took 19.75 GiB memory "
      "and "
      "6.356814 seconds\n"
      "(EngineCore pid=107) INFO [interface.py:911] Setting attention block size to 1568 tokens to "
      "ensure that attention page size is >= mamba page size.\n"
      "(EngineCore pid=107) INFO [gpu_model_runner.py:6042] Estimated CUDA graph memory: 0.36 GiB "
      "total\n"
      "(EngineCore pid=107) INFO [gpu_worker.py:508] Available KV cache memory: 5.98 GiB\n"
      "(EngineCore pid=107) INFO [kv_cache_utils.py:2146] GPU KV cache size: 567,978 tokens\n"
      "(EngineCore pid=107) INFO [kv_cache_utils.py:2147] Maximum concurrency for 131,072 tokens "
      "per "
      "request: 4.33x\n"
      "(EngineCore pid=107) INFO Graph capturing finished in 12 secs, took 0.45 GiB\n");
  CHECK(log.version == "0.24.0");
  CHECK(log.batched_tokens == 8192);
  CHECK(log.sequences == 1);
  CHECK(log.memory_fraction == 0.92);
  CHECK(Gib(log.weights) == doctest::Approx(19.75));
  CHECK(Gib(log.graphs) == doctest::Approx(0.45));
  CHECK(Gib(log.kv_cache) == doctest::Approx(5.98));
  CHECK(log.kv_tokens == 567'978);
  CHECK(log.concurrency_length == 131'072);
  CHECK(log.concurrency == 4.33);
  CHECK(log.mixed_layers);
}

TEST_CASE("vLLM's summary of a start is read") {
  const EngineLog log = ReadEngineLog(
      "DEBUG [gpu_worker.py] Free memory on device (78.57/79.18 GiB) on startup. Desired GPU "
      "memory "
      "utilization is (0.9, 71.26 GiB). Actual usage is 14.99 GiB for weight, 4.76 GiB for peak "
      "activation, 0.13 GiB for non-torch memory, and -0.45 GiB for CUDAGraph memory.\n");
  CHECK(Gib(log.total) == doctest::Approx(79.18));
  CHECK(log.memory_fraction == 0.9);
  CHECK(Gib(log.weights) == doctest::Approx(14.99));
  CHECK(Gib(log.activation_peak) == doctest::Approx(4.76));
  CHECK(Gib(log.libraries) == doctest::Approx(0.13));
  CHECK(Gib(log.graphs) == doctest::Approx(-0.45));
}

TEST_CASE("SGLang's GB are GiB, and ranks agree on the least") {
  const EngineLog log = ReadEngineLog(
      "[2025-07-22 10:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3-235B-A22B-FP8', "
      "context_length=None, mem_fraction_static=0.93, max_running_requests=None, "
      "chunked_prefill_size=8192, page_size=1, tp_size=4, pp_size=1, random_seed=1)\n"
      "[2025-07-22 10:00:01 TP0] Load weight begin. avail mem=77.30 GB\n"
      "[2025-07-22 10:00:01 TP1] Load weight begin. avail mem=77.10 GB\n"
      "[2025-07-22 10:01:00 TP0] Load weight end. type=Qwen3MoeForCausalLM, dtype=torch.bfloat16, "
      "avail mem=21.96 GB, mem usage=55.34 GB.\n"
      "[2025-07-22 10:01:01 TP0] KV Cache is allocated. #tokens: 367404, K size: 8.23 GB, V size: "
      "8.23 GB\n"
      "[2025-07-22 10:01:01 TP0] Memory pool end. avail mem=5.05 GB\n"
      "[2025-07-22 10:02:00 TP0] Capture cuda graph end. Time elapsed: 9.00 s. mem usage=1.20 GB. "
      "avail mem=3.85 GB.\n"
      "[2025-07-22 10:02:01 TP0] max_total_num_tokens=367404, chunked_prefill_size=8192, "
      "max_prefill_tokens=16384, max_running_requests=2048, context_len=40960\n");
  CHECK(log.product == "sglang");
  CHECK(log.model == "Qwen/Qwen3-235B-A22B-FP8");
  CHECK(log.tp == 4);
  CHECK(log.max_length == 40'960);
  CHECK(log.memory_fraction == 0.93);
  CHECK(log.batched_tokens == 8192);
  CHECK(Gib(log.free_at_start) == doctest::Approx(77.1));
  CHECK(Gib(log.weights) == doctest::Approx(55.34));
  CHECK(Gib(log.kv_cache) == doctest::Approx(16.46));
  CHECK(Gib(log.graphs) == doctest::Approx(1.2));
  CHECK(log.kv_tokens == 367'404);
  CHECK_FALSE(log.mixed_layers);
}

TEST_CASE("settings that contradict each other are dropped and named") {
  const EngineLog log = ReadEngineLog(
      "LLM engine (v0.9.0) with config: model='a', tensor_parallel_size=1,\n"
      "LLM engine (v0.9.0) with config: model='b', tensor_parallel_size=1,\n"
      "LLM engine (v0.9.0) with config: model='a', tensor_parallel_size=1,\n");
  CHECK_FALSE(log.model.has_value());
  CHECK(log.tp == 1);
  CHECK(log.contradictions == std::vector<std::string>{"model"});
  CHECK(log.missing.size() == 3);
}

TEST_CASE("no text is too odd for the reader") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string huge = "Available KV cache memory: " + std::string(200'000, '9') + " GiB";
  for (const std::string& text : {std::string(),
                                  std::string("\n\n\r\x1b["),
                                  all,
                                  huge,
                                  std::string("GPU KV cache size: 1e99 tokens"),
                                  std::string("GPU KV cache size: -5 tokens"),
                                  std::string("GPU KV cache size: 99999999999999999999 tokens"),
                                  std::string("Available KV cache memory: nan GiB"),
                                  std::string("Available KV cache memory: 5 parsecs"),
                                  std::string("Available KV cache memory:"),
                                  std::string("Free memory on device (1"),
                                  std::string(1'000'000, '\x1b')}) {
    const EngineLog log = ReadEngineLog(text);
    CHECK_FALSE(log.kv_cache.has_value());
    CHECK_FALSE(log.kv_tokens.has_value());
  }
}

TEST_CASE("a log stands beside the prediction with the difference of each figure") {
  EngineLog log;
  log.product = "vllm";
  log.weights = Bytes(14.99 * kGib);
  log.activation_peak = Bytes(4.76 * kGib);
  log.kv_cache = Bytes(51.38 * kGib);
  log.kv_tokens = 420'904;
  const LogComparison comparison = CompareWithLog(log, Memory("llama-3.1-8b", "vllm", 16'000));
  REQUIRE(comparison.rows.size() == 5);
  for (const LogRow& row : comparison.rows) {
    CAPTURE(row.name);
    REQUIRE(row.Difference().has_value());
    CHECK(std::abs(*row.Difference()) < 0.01);
  }
  CHECK(comparison.rows.back().name == "KV bytes a token");
}

TEST_CASE("bytes a token are not taken from a log whose layers differ") {
  EngineLog log;
  log.product = "vllm";
  log.kv_cache = Bytes(50.28 * kGib);
  log.kv_tokens = 1'000'000;
  const LogComparison comparison = CompareWithLog(log, Memory("gpt-oss-20b", "vllm", 16'000));
  for (const LogRow& row : comparison.rows) CHECK(row.name != "KV bytes a token");
  REQUIRE(comparison.notes.size() == 1);
  CHECK(comparison.notes.front().find("whatever") == std::string::npos);
  CHECK(comparison.notes.front().find("a token") != std::string::npos);
  // Tokens of another length are no tokens of this one.
  log.concurrency_length = 131'072;
  for (const LogRow& row : CompareWithLog(log, Memory("gpt-oss-20b", "vllm", 16'000)).rows) {
    CHECK(row.name != "KV tokens");
  }
}

}  // namespace roofcast
