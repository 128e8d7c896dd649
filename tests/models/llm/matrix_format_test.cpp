// SPDX-License-Identifier: Apache-2.0
#include "models/llm/matrix_format.h"

#include <doctest/doctest.h>

#include <string>

#include "models/llm/parameters.h"
#include "models/llm/quantisation.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::Parse;
using test::Plus;

namespace {

constexpr const char* kGroup = R"({"quant_method": "compressed-tensors", "ignore": ["lm_head"],
    "format": "FORMAT", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {)";

std::string Compressed(const std::string& format, const std::string& weights) {
  return test::With(kGroup, "FORMAT", format) + weights + "}}}}";
}

// Bytes of `o` of a Llama with that quantisation: 4096 outputs of 4096 inputs.
double BytesOfO(const std::string& quantisation) {
  const Llm llm = Parse(Plus(kLlama, "\"quantization_config\": " + quantisation));
  for (const Tensor& tensor : LayerTensors(llm.kinds[0], llm.hidden)) {
    if (tensor.name == "o") return StoredBytes(llm, tensor).value();
  }
  return 0;
}

constexpr double kNumbers = 4096.0 * 4096;
constexpr double kGroups = kNumbers / 128;

}  // namespace

TEST_CASE("one matrix of each format takes the bytes of its loader's tensors") {
  struct Row {
    std::string quantisation;
    double bytes;
  };
  const Row rows[] = {
      // qweight [in, out/8] int32, scales [in/128, out] fp16, qzeros [in/128, out/8] int32.
      {R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true,
           "version": "gemm"})",
       kNumbers / 2 + 2 * kGroups + kGroups / 2},
      // The same, with the group of each input in int32.
      {R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true, "sym": true})",
       kNumbers / 2 + 2 * kGroups + kGroups / 2 + 4 * 4096},
      {R"({"quant_method": "gptq", "bits": 8, "group_size": -1})",
       kNumbers + 2 * 4096 + 4096 + 4 * 4096},
      {R"({"quant_method": "gptq", "bits": 3, "group_size": 128})",
       kNumbers * 3 / 8 + 2 * kGroups + kGroups * 3 / 8 + 4 * 4096},
      // weight_packed int32, weight_scale bf16, weight_shape int64[2].
      {Compressed("pack-quantized",
                  R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
                     "symmetric": true)"),
       kNumbers / 2 + 2 * kGroups + 16},
      // And weight_zero_point, packed along the outputs.
      {Compressed("pack-quantized",
                  R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
                     "symmetric": false)"),
       kNumbers / 2 + 2 * kGroups + kGroups / 2 + 16},
      {Compressed("pack-quantized",
                  R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
                     "actorder": "group")"),
       kNumbers / 2 + 2 * kGroups + 16 + 4 * 4096},
      {Compressed("pack-quantized", R"("num_bits": 8, "type": "int", "strategy": "channel")"),
       kNumbers + 2 * 4096 + 16},
      {Compressed("int-quantized", R"("num_bits": 8, "type": "int", "strategy": "channel")"),
       kNumbers + 2 * 4096},
      {Compressed("float-quantized", R"("num_bits": 8, "type": "float", "strategy": "tensor")"),
       kNumbers + 2},
      {Compressed("float-quantized",
                  R"("num_bits": 8, "type": "float", "strategy": "block",
                     "block_structure": [128, 128])"),
       kNumbers + 2 * 32 * 32},
      // weight_packed uint8, weight_scale fp8 for 16 inputs, weight_global_scale fp32.
      {Compressed("nvfp4-pack-quantized",
                  R"("num_bits": 4, "type": "float", "strategy": "tensor_group",
                     "group_size": 16)"),
       kNumbers * 9 / 16 + 4},
      {Compressed("mxfp4-pack-quantized",
                  R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32)"),
       kNumbers * 17 / 32},
      {R"({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0})", kNumbers + 4 * 4096},
      {R"({"quant_method": "fp8", "activation_scheme": "static"})", kNumbers + 8},
      {R"({"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ["lm_head"]})", kNumbers + 8},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]})",
       kNumbers * 9 / 16 + 8},
      {R"({"quant_method": "modelopt", "quant_algo": "FP8_PB_WO", "ignore": ["lm_head"]})",
       kNumbers + 4 * 32 * 32},
      // weight uint8 [out/2, in], weight_scale fp32 [out, in/128], a factor of each input.
      {R"({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ", "group_size": 128,
           "pre_quant_scale": true, "ignore": ["lm_head"]})",
       kNumbers / 2 + 4 * kGroups + 2 * 4096},
  };
  for (const Row& row : rows) {
    CAPTURE(row.quantisation);
    CHECK(BytesOfO(row.quantisation) == row.bytes);
  }
}

TEST_CASE("nvfp4 stores nine sixteenths of a byte a weight, and two fp32 scales a matrix") {
  MatrixFormat format = PlainFormat(DType::kFp4);
  format.has_scales = true;
  format.block_rows = 1;
  format.block_columns = 16;
  format.scale_dtype = DType::kFp8;
  Bytes bytes;
  for (const StoredNumbers& stored : StoredNumbersOf(format, 62'500, 16'000, 1)) {
    bytes += stored.bytes;
  }
  // ai-dynamo/aiconfigurator#391: 10^9 weights take 562.5 MB.
  CHECK(bytes.value() == 562'500'000.0);
}

TEST_CASE("Llama-3.1-8B takes what its published 4-bit checkpoints do") {
  const auto bytes_of = [](const std::string& quantisation) {
    const Llm llm = Parse(Plus(kLlama, "\"quantization_config\": " + quantisation));
    return CountParameters(llm).checkpoint_bytes.value();
  };
  // Files of nvidia/Llama-3.1-8B-Instruct-FP4 (ModelOpt NVFP4): 6,027,861,376 B with their headers.
  CHECK(bytes_of(R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]})") ==
        doctest::Approx(6'027'861'376.0).epsilon(3e-5));
  // 6,979,321,856 weights of 4.15625 bits and 1,050,939,392 of 16.
  CHECK(bytes_of(R"({"quant_method": "awq", "bits": 4, "group_size": 128})") == 5'727'854'592.0);
}

TEST_CASE("packed numbers are counted as the words that hold them") {
  const Llm llm = Parse(Plus(kLlama,
                             R"("quantization_config": {"quant_method": "gptq", "bits": 4,
                                "group_size": 128})"));
  const auto numbers = CountParameters(llm).by_dtype;
  const std::int64_t weights = 32LL * (4096 * (4096 + 2 * 1024 + 4096) + 3 * 4096 * 14336);
  const std::int64_t inputs = 32LL * (6 * 4096 + 14336);
  CHECK(numbers.at("I32") == weights / 8 + weights / 128 / 8 + inputs);
  CHECK(numbers.at("F16") == weights / 128);
  CHECK(llm.extra_parameters.empty());  // 4-bit scales are no parameters
}

}  // namespace roofcast
