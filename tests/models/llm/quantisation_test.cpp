// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation.h"

#include <doctest/doctest.h>

#include <string>

#include "models/llm/config_document.h"
#include "models/llm/parameters.h"
#include "models/llm/precision.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::MessageOf;
using test::Parse;
using test::Plus;

namespace {

std::string Quantised(const std::string& config) {
  return Plus(kLlama, "\"quantization_config\": " + config);
}

Llm WithSideFile(std::string_view side) {
  return ParseLlm({kLlama, "config.json"}, "test", ConfigText{side, "hf_quant_config.json"});
}

// The name of what a tensor of a layer is stored in; "" for as it is.
std::string FormatOfTensor(const Llm& llm, std::int64_t layer, std::string_view name) {
  for (const Tensor& tensor : LayerTensors(llm.LayerAt(layer), llm.hidden)) {
    if (tensor.name != name) continue;
    const MatrixFormat* format = FormatOf(llm, tensor);
    return format == nullptr ? "" : format->name;
  }
  return "no such tensor";
}

}  // namespace

TEST_CASE("fp8 has one scale a block, or a tensor when no block is given") {
  const auto blocks = Parse(Quantised(
      R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
          "weight_block_size": [128, 64]})"));
  CHECK(blocks.quantisation->Main().block_rows == 128);
  CHECK(blocks.quantisation->Main().block_columns == 64);
  const auto tensors = Parse(Quantised(R"({"quant_method": "fp8"})"));
  CHECK(tensors.quantisation->Main().dtype == DType::kFp8);
  CHECK(tensors.extra_parameters.at("scales") == 32 * 7);
}

TEST_CASE("an unknown quantisation is refused by name") {
  CHECK(MessageOf(Quantised(R"({"quant_method": "torchao", "bits": 4})")) ==
        "config.json:9:43: quantization_config.quant_method: 'torchao' is not understood; known: "
        "awq, compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt or mxfp4");
  CHECK(MessageOf(Quantised(R"({"bits": 4})")) ==
        "config.json:9:26: quantization_config: 'quant_method' is missing; known: "
        "awq, compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt or mxfp4");
  CHECK(MessageOf(Quantised("\"fp8\"")) ==
        "config.json:9:26: quantization_config: 'fp8' is not an object");
  CHECK(Parse(Quantised("null")).quantisation.has_value() == false);
}

TEST_CASE("an unknown key of a quantisation is refused whatever its name") {
  CHECK(MessageOf(Quantised(R"({"quant_method": "fp8", "rotation": "hadamard"})")) ==
        "config.json:9:50: quantization_config.rotation: not understood, and it may shape the "
        "model; remove it if no tensor depends on it");
}

TEST_CASE("ModelOpt's file beside the config is read") {
  const Llm llm = WithSideFile(
      R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8",
          "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}})");
  REQUIRE(llm.quantisation);
  CHECK(llm.quantisation->method == "fp8");
  CHECK(llm.quantisation->Main().block_rows == 0);
  // Scales of the matrix and of its inputs.
  CHECK(llm.extra_parameters.at("scales") == 2 * 32 * 7);
  CHECK(llm.quantisation->kv == DType::kFp8);
}

TEST_CASE("an nvfp4 checkpoint keeps token table, head and norms wide") {
  const Llm llm = WithSideFile(
      R"({"quantization": {"quant_algo": "NVFP4", "group_size": 16,
          "exclude_modules": ["lm_head"]}})");
  const std::int64_t layers = 32LL * (4096 * (4096 + 2 * 1024 + 4096) + 3 * 4096 * 14336);
  const std::int64_t rest = CountParameters(llm).total - layers;
  CHECK(CountParameters(llm).checkpoint_bytes.value() ==
        static_cast<double>(layers) * 9 / 16 + 2 * static_cast<double>(rest) + 8 * 32 * 7);
  CHECK(llm.extra_parameters.empty());
}

TEST_CASE("a ModelOpt algorithm that is not understood is refused, a quantised head is counted") {
  CHECK_THROWS_WITH_AS(WithSideFile(R"({"quantization": {"quant_algo": "W8A8_SQ",
"exclude_modules": ["lm_head"]}})"),
                       "hf_quant_config.json:1:33: quantization.quant_algo: 'W8A8_SQ' is not "
                       "understood; known: FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, "
                       "W4A16_NVFP4, NVFP4_AWQ, W4A16_AWQ, W4A8_AWQ or MIXED_PRECISION",
                       SpecError);
  const Llm llm = WithSideFile(R"({"quantization": {"quant_algo": "FP8", "exclude_modules": []}})");
  CHECK(StoredBytes(llm, HeadTensors(llm)[1]).value() == 128256.0 * 4096 + 8);
  CHECK(MessageOf(test::Plus(test::With(kLlama,
                                        "\"llama\"",
                                        "\"llama\",\n  "
                                        "\"tie_word_embeddings\": true"),
                             R"("quantization_config": {"quant_method": "modelopt",
"quant_algo": "FP8"})"))
            .find("a quantised lm_head that is the token table is not understood; name "
                  "lm_head here if it is not quantised") != std::string::npos);
}

TEST_CASE("ModelOpt's layers of their own precision are stored as each says") {
  const Llm llm = WithSideFile(R"({"quantization": {"quant_algo": "MIXED_PRECISION",
      "kv_cache_quant_algo": null, "quantized_layers": {
        "model.layers.0.mlp.down_proj": {"quant_algo": "FP8"},
        "model.layers.0.mlp.up_proj": {"quant_algo": "NVFP4", "group_size": 16},
        "model.layers.1.mlp.down_proj": {"quant_algo": "FP8"}}}})");
  CHECK(llm.kinds.size() == 3);  // layers 0, 1 and the others
  CHECK(llm.quantisation->formats.size() == 2);
  CHECK(FormatOfTensor(llm, 0, "up") == "nvfp4");
  CHECK(FormatOfTensor(llm, 1, "down") == "fp8");
  CHECK(FormatOfTensor(llm, 1, "up") == "");
  CHECK(FormatOfTensor(llm, 2, "down") == "");
  CHECK_THROWS_AS(WithSideFile(R"({"quantization": {"quant_algo": "MIXED_PRECISION",
      "quantized_layers": {"model.layers.0.mlp.side_proj": {"quant_algo": "FP8"}}}})"),
                  SpecError);
}

TEST_CASE("groups of compressed-tensors cover what their targets name") {
  const auto llm = Parse(Quantised(R"({"quant_method": "compressed-tensors",
      "format": "mixed-precision", "ignore": ["lm_head", "re:.*self_attn\\.(q|k)_proj$"],
      "kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": false},
      "config_groups": {
        "group_0": {"targets": ["Linear"], "format": "float-quantized",
          "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}},
        "group_1": {"targets": ["re:.*mlp.*"], "format": "pack-quantized",
          "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128}}}})"));
  CHECK(llm.kinds.size() == 1);
  CHECK(FormatOfTensor(llm, 0, "q") == "");
  CHECK(FormatOfTensor(llm, 0, "v") == "fp8");
  CHECK(FormatOfTensor(llm, 0, "down") == "int4");
  CHECK(llm.quantisation->Main().name == "int4");
  CHECK(llm.quantisation->kv == DType::kFp8);
  CHECK(ServingPrecision(llm, {}).kv == DType::kFp8);
  CHECK(ServingPrecision(llm, {{}, {}, DType::kBf16}).kv == DType::kBf16);
}

TEST_CASE("settings of a format that no loader has are refused by their key") {
  struct Row {
    std::string quantisation;
    std::string message;
  };
  const auto compressed = [](const std::string& weights, const std::string& targets) {
    return R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
        "ignore": ["lm_head"], "config_groups": {"group_0": {"targets": [)" +
           targets + R"(], "weights": {)" + weights + "}}}}";
  };
  const std::string int4 =
      R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128)";
  const Row rows[] = {
      {R"({"quant_method": "awq", "bits": 7})", ".bits: 7 bits are not understood; known: 4"},
      {R"({"quant_method": "gptq", "bits": 7})",
       ".bits: 7 bits are not understood; known: 2, 3, 4 or 8"},
      {R"({"quant_method": "gptq", "bits": 4, "group_size": 96})",
       ".group_size: 96 does not divide the 4096 inputs of 'q' (attention)"},
      {R"({"quant_method": "awq", "bits": 4, "version": "gemv"})",
       ".version: 'gemv' is not understood; known: gemm"},
      {R"({"quant_method": "gptq", "bits": 4, "checkpoint_format": "marlin"})",
       ".checkpoint_format: 'marlin' is not understood; known: gptq or gptq_v2"},
      {R"({"quant_method": "gptq", "bits": 4, "dynamic": {"+:.*down": {"bits": 8}}})",
       ".dynamic.+:.*down: settings of single modules are not understood; known: -:"},
      {compressed(int4, "\"LlamaAttention\""),
       ".weights: no matrix of the model is named 'LlamaAttention'"},
      {compressed(int4, "\"re:(?!mlp).*\""),
       ".targets: 're:(?!mlp).*' is not understood; known: Linear or names"},
      {compressed(R"("num_bits": 5, "type": "int", "strategy": "channel")", "\"Linear\""),
       ".num_bits: 5 bits are not understood; known: 4 or 8"},
      {compressed(R"("num_bits": 8, "type": "int", "strategy": "row")", "\"Linear\""),
       ".strategy: 'row' is not understood; known: tensor, channel, group with a group_size, or "
       "block with a block_structure"},
      {compressed(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 96)",
                  "\"Linear\""),
       ".weights.group_size: 96 does not divide the 4096 inputs of 'q' (attention)"},
      {R"({"quant_method": "bitsandbytes", "load_in_4bit": true})",
       ".quant_method: 'bitsandbytes' is not understood"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    const std::string message = MessageOf(Quantised(row.quantisation));
    CAPTURE(message);
    CHECK(message.find(row.message) != std::string::npos);
  }
}

}  // namespace roofcast
