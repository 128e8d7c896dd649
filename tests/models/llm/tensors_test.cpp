// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensors.h"

#include <doctest/doctest.h>

#include <string_view>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"

namespace roofcast {
namespace {

const Tensor& FindTensor(const std::vector<Tensor>& tensors, std::string_view name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  FAIL("no tensor " << name);
  return tensors.front();
}

}  // namespace

TEST_CASE("tensor parallelism splits heads and replicates KV heads beyond their number") {
  const Llm llm = LoadLlm("llama-3.1-70b");  // 64 query heads, 8 KV heads of 128
  const auto tensors = LayerTensors(llm.kinds[0], llm.hidden);
  const Tensor& q = FindTensor(tensors, "q");
  const Tensor& k = FindTensor(tensors, "k");
  struct Row {
    std::int64_t tp;
    std::int64_t query_heads;
    std::int64_t kv_heads;
  };
  for (const Row& row :
       {Row{1, 64, 8}, Row{2, 32, 4}, Row{8, 8, 1}, Row{16, 4, 1}, Row{64, 1, 1}}) {
    CAPTURE(row.tp);
    CHECK(q.OutputsOnRank(row.tp) == row.query_heads * 128);
    CHECK(k.OutputsOnRank(row.tp) == row.kv_heads * 128);
    CHECK(k.ParametersOnRank(row.tp) == row.kv_heads * 128 * 8192);
  }
  const Tensor& o = FindTensor(tensors, "o");
  CHECK(o.OutputsOnRank(8) == 8192);
  CHECK(o.InputsOnRank(8) == 1024);
  CHECK_THROWS_AS(o.InputsOnRank(0), std::logic_error);
}

TEST_CASE("q, k and v are one fused product, gate and up another") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const auto tensors = LayerTensors(llm.kinds[0], llm.hidden);
  std::int64_t qkv = 0;
  std::int64_t gate_up = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.gemm == "qkv") qkv += tensor.outputs;
    if (tensor.gemm == "gate_up") gate_up += tensor.outputs;
  }
  CHECK(qkv == (32 + 2 * 8) * 128);
  CHECK(gate_up == 2 * 14336);
}

TEST_CASE("latent attention keeps its latent whole on every rank") {
  const Llm llm = LoadLlm("deepseek-v3");
  const auto tensors = LayerTensors(llm.kinds[1], llm.hidden);
  CHECK(FindTensor(tensors, "kv_a").OutputsOnRank(8) == 576);
  CHECK(FindTensor(tensors, "q_a").OutputsOnRank(8) == 1536);
  CHECK(FindTensor(tensors, "q_b").OutputsOnRank(8) == 16 * 192);
  CHECK(FindTensor(tensors, "kv_b").OutputsOnRank(8) == 16 * 256);
  CHECK(FindTensor(tensors, "o").InputsOnRank(8) == 16 * 128);
  CHECK(FindTensor(tensors, "expert_up").count == 256);
  CHECK(FindTensor(tensors, "expert_up").OutputsOnRank(8) == 256);
  CHECK(FindTensor(tensors, "router").OutputsOnRank(8) == 256);
}

TEST_CASE("the vocabulary is split with the last rank padded") {
  Llm llm = LoadLlm("llama-3.1-8b");
  llm.vocabulary = 50257;
  CHECK(EmbeddingTensors(llm)[0].OutputsOnRank(8) == 6283);
  CHECK(FindTensor(HeadTensors(llm), "head").OutputsOnRank(8) == 6283);
}

TEST_CASE("norms, learned positions and ungated layers are listed where a model has them") {
  Layer layer;
  layer.attention = {.heads = 2, .kv_heads = 2, .head_dim = 4, .value_dim = 4};
  layer.ffn = {.width = 32, .gated = false, .bias = true};
  layer.norm_bias = true;
  std::int64_t parameters = 0;
  for (const Tensor& tensor : LayerTensors(layer, 8)) parameters += tensor.Parameters();
  CHECK(parameters == 4 * 64 + 2 * 8 * 32 + 32 + 8 + 4 * 8);
  Llm llm;
  llm.hidden = 8;
  llm.vocabulary = 10;
  llm.learned_positions = 16;
  llm.final_norm_bias = true;
  CHECK(EmbeddingTensors(llm)[1].Parameters() == 128);
  CHECK(FindTensor(HeadTensors(llm), "final_norm_bias").Parameters() == 8);
}

TEST_CASE("block scales are counted for started blocks, and only matrices have them") {
  const Llm llm = LoadLlm("deepseek-v3");
  const auto tensors = LayerTensors(llm.kinds[1], llm.hidden);
  const Tensor& latent = FindTensor(tensors, "kv_a");  // 576 x 7168 in blocks of 128 x 128
  CHECK(ScalesOf(llm, latent) == 5 * 56);
  CHECK(StoredBytes(llm, latent).value() == 576 * 7168 + 4 * 5 * 56);
  CHECK(StoredBytes(llm, FindTensor(tensors, "router")).value() == 2 * 256 * 7168);
  CHECK(StoredBytes(llm, FindTensor(tensors, "router_correction")).value() == 4 * 256);
  CHECK(StoredBytes(llm, FindTensor(tensors, "norms")).value() == 2 * 2 * 7168);
  CHECK_FALSE(IsQuantised(llm, FindTensor(HeadTensors(llm), "head")));
}

TEST_CASE("mxfp4 stores 4.25 bits a weight, of the experts alone") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  const auto tensors = LayerTensors(llm.kinds[0], llm.hidden);
  const Tensor& up = FindTensor(tensors, "expert_up");
  CHECK(StoredBytes(llm, up).value() == static_cast<double>(up.Parameters()) * 4.25 / 8);
  CHECK(StoredBytes(llm, FindTensor(tensors, "q")).value() == 2.0 * 4096 * 2880);
  CHECK(StoredBytes(llm, FindTensor(tensors, "expert_up_bias")).value() == 2.0 * 32 * 2880);
}

TEST_CASE("numbers of DeepSeek-V3 by number format are those that the Hub shows") {
  using Numbers = std::map<std::string, std::int64_t>;
  CHECK(CountParameters(LoadLlm("deepseek-v3")).by_dtype ==
        Numbers{{"BF16", 3'918'786'560}, {"F8_E4M3", 680'571'043'840}, {"F32", 41'555'600}});
  // Two 4-bit numbers and one exponent are a U8 each: 65,248,815,744 bytes with the rest.
  CHECK(CountParameters(LoadLlm("gpt-oss-120b")).by_dtype ==
        Numbers{{"BF16", 2'167'371'072}, {"U8", 60'914'073'600}});
  CHECK(CountParameters(LoadLlm("llama-2-7b")).by_dtype ==
        Numbers{{"F16", 6'738'415'616}, {"F32", 2'048}});
}

}  // namespace roofcast
