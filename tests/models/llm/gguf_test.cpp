// SPDX-License-Identifier: Apache-2.0
#include "models/llm/gguf.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "models/llm/precision.h"

namespace roofcast {
namespace {

double BytesOf(const char* model, const char* weights) {
  const auto choice = FindWeights(weights);
  REQUIRE(choice);
  return CountParameters(WithWeights(LoadLlm(model), *choice)).checkpoint_bytes.value();
}

}  // namespace

TEST_CASE("GGUF mixtures take what their published files do, up to metadata and tokenizer") {
  struct Published {
    const char* model;
    const char* weights;
    double bytes;
  };
  // Sizes of files on the Hub: bartowski/Meta-Llama-3.1-8B-Instruct-GGUF and its siblings,
  // Qwen/Qwen3-8B-GGUF, Qwen/Qwen2.5-7B-Instruct-GGUF.
  constexpr Published kFiles[] = {
      {"llama-3.1-8b", "q8_0", 8'540'775'840},     {"llama-3.1-8b", "q6_k", 6'596'011'424},
      {"llama-3.1-8b", "q5_k_m", 5'732'992'416},   {"llama-3.1-8b", "q5_k_s", 5'599'298'976},
      {"llama-3.1-8b", "q4_k_m", 4'920'739'232},   {"llama-3.1-8b", "q4_k_s", 4'692'673'952},
      {"llama-3.1-8b", "q3_k_l", 4'321'961'376},   {"llama-3.1-8b", "q3_k_m", 4'018'922'912},
      {"llama-3.1-8b", "q3_k_s", 3'664'504'224},   {"llama-3.1-8b", "q2_k", 3'179'136'416},
      {"llama-3.1-8b", "iq4_nl", 4'677'993'888},   {"llama-3.1-8b", "iq4_xs", 4'447'667'616},
      {"llama-3.1-70b", "q4_k_m", 42'520'398'400}, {"llama-3.2-1b", "q4_k_m", 807'694'464},
      {"llama-3.2-1b", "q8_0", 1'321'083'008},     {"llama-3.2-1b", "f16", 2'479'595'360},
      {"qwen3-8b", "q4_k_m", 5'027'783'488},       {"qwen3-8b", "q8_0", 8'709'518'112},
      {"qwen2.5-7b", "q4_k_m", 4'683'073'632},     {"qwen2.5-7b", "q6_k", 6'254'198'880},
  };
  for (const Published& file : kFiles) {
    CAPTURE(file.model);
    CAPTURE(file.weights);
    const double bytes = BytesOf(file.model, file.weights);
    // 6 to 9 MB of names and vocabulary come on top.
    CHECK(bytes < file.bytes);
    CHECK(file.bytes - bytes < 9e6);
    // The same ones in all files of a model.
    if (std::string_view(file.model) == "llama-3.1-8b") CHECK(file.bytes - bytes == 7'841'184);
  }
}

TEST_CASE("Q4_K_M gives values and half of the down projections six bits") {
  const Llm llm = WithWeights(LoadLlm("llama-3.1-8b"), *FindWeights("Q4_K_M"));
  CHECK(llm.kinds.size() == 2);
  std::int64_t wider = 0;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    for (const Tensor& tensor : LayerTensors(llm.LayerAt(i), llm.hidden)) {
      const DType dtype = FormatOf(llm, tensor)->dtype;
      if (tensor.name == "down") wider += dtype == DType::kQ6K ? 1 : 0;
      if (tensor.name == "q") CHECK(dtype == DType::kQ4K);
      if (tensor.name == "norms") CHECK(dtype == DType::kFp32);
    }
  }
  CHECK(wider == 16);
  CHECK(FormatOf(llm, HeadTensors(llm)[1])->dtype == DType::kQ6K);
  const Precision precision = ServingPrecision(llm, {*FindWeights("q4_k_m"), {}, {}});
  CHECK(precision.weights == DType::kQ4K);
  CHECK(precision.activations == DType::kBf16);
  CHECK(IsAsStored(llm, precision));
}

TEST_CASE("rows that the blocks don't divide take the next wider format") {
  // 896 inputs are no whole blocks of 256: Q4_K falls back to Q5_0.
  const Llm llm = WithWeights(LoadLlm("qwen2.5-0.5b"), *FindWeights("q4_k_m"));
  for (const Tensor& tensor : LayerTensors(llm.kinds[0], llm.hidden)) {
    if (tensor.name == "q") CHECK(FormatOf(llm, tensor)->dtype == DType::kQ5v0);
    if (tensor.name == "down") CHECK(tensor.inputs == 4864);
    if (tensor.name == "down") CHECK(FormatOf(llm, tensor)->dtype == DType::kQ6K);
  }
}

TEST_CASE("block formats have the bits of ggml's structs") {
  CHECK(BytesOf(DType::kQ4v0).value() == 4.5 / 8);
  CHECK(BytesOf(DType::kQ8v0).value() == 34.0 / 32);
  CHECK(BytesOf(DType::kQ6K).value() == 6.5625 / 8);
  CHECK(BytesOf(DType::kQ5K).value() == 5.5 / 8);
  CHECK(BytesOf(DType::kQ4K).value() == 4.5 / 8);
  CHECK(BytesOf(DType::kQ3K).value() == 3.4375 / 8);
  CHECK(BytesOf(DType::kQ2K).value() == 2.625 / 8);
  CHECK(BytesOf(DType::kIq4Xs).value() == 4.25 / 8);
  CHECK(FindStorageDType("Q8_0") == DType::kQ8v0);
  CHECK_FALSE(FindDType("q8_0"));  // no device multiplies it
}

TEST_CASE("the q8_0 KV cache of DeepSeek-R1 at 32k takes what llama.cpp logs") {
  // 1166.62 MiB by the log.
  const Bytes token = KvBytesPerToken(LoadLlm("deepseek-r1"), DType::kQ8v0);
  CHECK((token * 32768.0).value() == 1166.625 * 1024 * 1024);
}

TEST_CASE("weights that a name converts to are stored with their scales") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const double matrices = 32.0 * (4096 * (4096 + 2 * 1024 + 4096) + 3 * 4096 * 14336);
  const double rest = 2 * (8030261248.0 - matrices);
  const auto bytes_of = [&](const char* weights) {
    return CountParameters(WithWeights(llm, *FindWeights(weights))).checkpoint_bytes.value();
  };
  CHECK(bytes_of("fp8") == matrices + rest + 4 * 224);
  CHECK(bytes_of("int4") == matrices * 4.125 / 8 + rest + 16 * 224);
  CHECK(bytes_of("awq") == matrices * 4.15625 / 8 + rest);
  CHECK(bytes_of("nvfp4") == matrices * 9 / 16 + rest + 8 * 224);
  CHECK(bytes_of("fp4") == bytes_of("nvfp4"));
  CHECK(bytes_of("mxfp4") == matrices * 17 / 32 + rest);
  CHECK(bytes_of("bf16") == 2 * 8030261248.0);
  CHECK_FALSE(FindWeights("q4_k_x"));
}

TEST_CASE("weights in the checkpoint's own format stay as it stores them") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  CHECK(RecipeOf(llm, *FindWeights("mxfp4")) == nullptr);
  CHECK(RecipeOf(llm, *FindWeights("fp4")) == nullptr);
  CHECK(RecipeOf(llm, *FindWeights("nvfp4"))->name == "nvfp4");
  CHECK(RecipeOf(LoadLlm("deepseek-v3"), *FindWeights("fp8")) == nullptr);
  CHECK_THROWS_WITH_AS(TrainingPrecision(llm, {*FindWeights("q4_k_m"), {}, {}}),
                       "weights=q4_k_m: nothing trains in it; use a number format",
                       ArgumentError);
}

}  // namespace roofcast
