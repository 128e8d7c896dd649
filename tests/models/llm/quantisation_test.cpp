// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation.h"

#include <doctest/doctest.h>

#include <string>

#include "models/llm/config_document.h"
#include "models/llm/parameters.h"
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

}  // namespace

TEST_CASE("fp8 has one scale a block, or a tensor when no block is given") {
  const auto blocks = Parse(Quantised(
      R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
          "weight_block_size": [128, 64]})"));
  CHECK(blocks.quantisation->block_rows == 128);
  CHECK(blocks.quantisation->block_columns == 64);
  const auto tensors = Parse(Quantised(R"({"quant_method": "fp8"})"));
  CHECK(tensors.quantisation->dtype == DType::kFp8);
  CHECK(tensors.extra_parameters.at("scales") == 32 * 7);
}

TEST_CASE("modules that no quantisation covers may be left out, others may not") {
  CHECK(MessageOf(Quantised(R"({"quant_method": "fp8", "modules_to_not_convert": ["lm_head",
        "model.layers.0.input_layernorm", "model.layers.0.mlp.gate", "model.embed_tokens",
        "re:.*shared_expert_gate$", "vision_tower.encoder"]})")) == "");
  CHECK(MessageOf(Quantised(R"({"quant_method": "fp8", "modules_to_not_convert":
["model.layers.0.mlp.gate_proj", "model.layers.0.self_attn"]})")) ==
        "config.json:10:1: quantization_config.modules_to_not_convert: leaving out "
        "'model.layers.0.mlp.gate_proj' and 1 more is not understood");
}

TEST_CASE("an unknown quantisation is refused by name") {
  CHECK(MessageOf(Quantised(R"({"quant_method": "awq", "bits": 4})")) ==
        "config.json:9:43: quantization_config.quant_method: 'awq' is not understood; known: "
        "compressed-tensors, fp8, modelopt or mxfp4");
  CHECK(MessageOf(Quantised(R"({"bits": 4})")) ==
        "config.json:9:26: quantization_config: 'quant_method' is missing; known: "
        "compressed-tensors, fp8, modelopt or mxfp4");
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
  CHECK(llm.quantisation->block_rows == 0);
  CHECK(llm.extra_parameters.at("scales") == 32 * 7);
}

TEST_CASE("nvfp4 stores nine sixteenths of a byte a weight") {
  const Llm llm = WithSideFile(
      R"({"quantization": {"quant_algo": "NVFP4", "group_size": 16,
          "exclude_modules": ["lm_head"]}})");
  const std::int64_t layers = 32LL * (4096 * (4096 + 2 * 1024 + 4096) + 3 * 4096 * 14336);
  const std::int64_t rest = CountParameters(llm).total - layers;
  CHECK(CountParameters(llm).checkpoint_bytes.value() ==
        static_cast<double>(layers) * 9 / 16 + 2 * static_cast<double>(rest));
  CHECK(llm.extra_parameters.empty());
}

TEST_CASE("a ModelOpt algorithm or exclusion that is not understood is refused") {
  CHECK_THROWS_WITH_AS(WithSideFile(R"({"quantization": {"quant_algo": "W4A8_AWQ",
"exclude_modules": ["lm_head"]}})"),
                       "hf_quant_config.json:1:33: quantization.quant_algo: 'W4A8_AWQ' is not "
                       "understood; known: FP8 or NVFP4",
                       SpecError);
  CHECK_THROWS_WITH_AS(WithSideFile(R"({"quantization": {"quant_algo": "FP8",
"exclude_modules": []}})"),
                       "hf_quant_config.json:2:20: quantization.exclude_modules: a quantised "
                       "lm_head is not understood; name lm_head here if it is not",
                       SpecError);
}

TEST_CASE("compressed-tensors: 8-bit weights with scales by tensor, channel or block") {
  const auto config = [](const std::string& weights) {
    return Quantised(R"({"quant_method": "compressed-tensors", "format": "float-quantized",
      "config_groups": {"group_0": {"targets": ["Linear"], "weights": {)" +
                     weights + R"(}}}, "ignore": ["lm_head"]})");
  };
  const auto channel = Parse(config(R"("num_bits": 8, "type": "float", "strategy": "channel")"));
  // One scale an output: q 4096, k and v 1024, o 4096, gate and up 14336, down 4096.
  CHECK(channel.extra_parameters.at("scales") == 32 * (3 * 4096 + 2 * 1024 + 2 * 14336));
  const auto tensor = Parse(config(R"("num_bits": 8, "type": "int", "strategy": "tensor")"));
  CHECK(tensor.quantisation->dtype == DType::kInt8);
  CHECK(tensor.extra_parameters.at("scales") == 32 * 7);
  const auto block = Parse(config(R"("num_bits": 8, "type": "float", "strategy": "block",
      "block_structure": [128, 128])"));
  CHECK(block.quantisation->block_rows == 128);
  const std::string four = MessageOf(config(R"("num_bits": 4, "type": "int",
"strategy": "tensor")"));
  CHECK(four.find("weights.num_bits: only 8 bits are understood here") != std::string::npos);
  const std::string group = MessageOf(config(R"("num_bits": 8, "type": "int",
"strategy": "group", "group_size": 32)"));
  CHECK(group.find("weights.strategy: 'group' is not understood; known: tensor, channel, or "
                   "block with a block_structure") != std::string::npos);
  CHECK(group.find("weights.group_size: not understood") != std::string::npos);
}

}  // namespace roofcast
