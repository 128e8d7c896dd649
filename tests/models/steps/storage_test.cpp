// SPDX-License-Identifier: Apache-2.0
// What steps make of the ways weights and KV caches are stored.
#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "models/kernels/gemm.h"
#include "models/llm/config.h"
#include "models/parallelism/fused_gemm.h"
#include "models/steps/predict.h"
#include "tests/models/kernels/figures.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {
namespace {

StepTime Decode(const Llm& llm, const PrecisionChoice& precision, const Fit& fit) {
  Options options;
  options.plan = Plan{};
  options.precision = precision;
  options.fit = &fit;
  return PredictDecode(llm, LoadCluster("h100-sxm:1"), {1, 0}, options);
}

Fit Ideal() {
  Fit fit = LoadFit();
  fit.coefficients = IdealCoefficients();
  return fit;
}

}  // namespace

TEST_CASE("a decode step reads the weights with their scales") {
  const Fit ideal = Ideal();
  const Llm llm = LoadLlm("llama-3.1-8b");
  const double wide = Decode(llm, {}, ideal).time.value();
  // 6,979,321,856 weights of the layers; the head stays wide.
  const double matrices = 6'979'321'856.0;
  const double head = 2 * 128'256.0 * 4096;
  const auto ratio_of = [&](const char* weights) {
    return Decode(llm, {*FindWeights(weights), {}, {}}, ideal).time.value() / wide;
  };
  const double all = 2 * matrices + head;
  CHECK(ratio_of("nvfp4") == doctest::Approx((matrices * 9 / 16 + head) / all).epsilon(1e-3));
  CHECK(ratio_of("awq") == doctest::Approx((matrices * 4.15625 / 8 + head) / all).epsilon(1e-3));
  CHECK(ratio_of("q8_0") ==
        doctest::Approx((matrices * 34 / 32 + head / 2 * 34 / 32) / all).epsilon(1e-3));
}

TEST_CASE("the fused product of a mixture reads what its parts do") {
  const Llm llm = WithWeights(LoadLlm("llama-3.1-8b"), *FindWeights("q4_k_m"));
  const Precision precision = ServingPrecision(llm, {*FindWeights("q4_k_m"), {}, {}});
  const auto gemms = FusedGemms(llm, LayerTensors(llm.LayerAt(0), llm.hidden), precision, /*tp=*/1);
  REQUIRE(gemms.front().name == "qkv");
  CHECK(gemms.front().weights == DType::kQ4K);
  // Values are in q6_k: 1024 of 6144 outputs.
  CHECK(gemms.front().overhead ==
        doctest::Approx((5120 * 4.5 + 1024 * 6.5625) / (6144 * 4.5)).epsilon(1e-12));
  const Llm plain = LoadLlm("llama-3.1-8b");
  for (const FusedGemm& gemm :
       FusedGemms(plain, LayerTensors(plain.kinds[0], plain.hidden), Precision{}, 4)) {
    CHECK(gemm.overhead == 1);
  }
}

TEST_CASE("formats that were not asked for, or that say more than their name, are named") {
  const Fit fit = LoadFit();
  const Llm llm = LoadLlm("llama-3.1-8b");
  CHECK(Decode(llm, {*FindWeights("awq"), {}, {}}, fit).assumptions.at("weights") ==
        "awq: a 16-bit scale and a zero point for 128 inputs, as AutoAWQ writes it");
  CHECK_FALSE(Decode(llm, {}, fit).assumptions.contains("weights"));
  const Llm shipped = test::Parse(
      test::Plus(test::kLlama,
                 R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8",
         "kv_cache_quant_algo": "FP8", "ignore": ["lm_head"]})"));
  CHECK(Decode(shipped, {}, fit).assumptions.at("KV cache") ==
        "fp8, since the checkpoint comes with scales for it");
  CHECK_FALSE(Decode(shipped, {{}, {}, DType::kBf16}, fit).assumptions.contains("KV cache"));
}

}  // namespace roofcast
