// SPDX-License-Identifier: Apache-2.0
// Published figures of training FLOPs; each case names where it was published and what other tools
// got wrong there.
#include "models/llm/flops.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "hardware/catalog.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "models/steps/flops_report.h"

namespace roofcast {
namespace {

constexpr double kTera = 1e12;

// Forward and backward, TFLOP.
double Products(const Llm& llm, const std::vector<std::int64_t>& lengths) {
  return TrainingFlops(llm, lengths, "6M").value() / kTera;
}
double Scores(const Llm& llm, const std::vector<std::int64_t>& lengths, const char* convention) {
  return TrainingFlops(llm, lengths, convention).value() / kTera - Products(llm, lengths);
}
std::vector<std::int64_t> Batch(std::size_t count, std::int64_t length) {
  return std::vector<std::int64_t>(count, length);
}
bool Near(double value, double expected, double tolerance) {
  return std::abs(value / expected - 1) <= tolerance;
}

}  // namespace

// https://github.com/AI-Hypercomputer/maxtext/pull/1670: multiplied parameters alone, head
// included.
TEST_CASE("Llama-2-7B's products and scores equal MaxText's to the last digit") {
  const Llm llm = LoadLlm("llama-2-7b");
  CHECK(Near(Products(llm, Batch(4, 256)), 40.593883398144, 1e-14));
  CHECK(Near(Scores(llm, Batch(4, 256), "6M+12Lhs"), 0.412316860416, 1e-11));
}

// https://github.com/AI-Hypercomputer/maxtext/pull/1988: the causal half is a choice, and matters.
TEST_CASE("long sequences of Llama-2-7B equal MaxText's with and without the causal mask") {
  const Llm llm = LoadLlm("llama-2-7b");
  struct Row {
    std::int64_t length;
    double products, all, causal;
  };
  for (const Row& row :
       {Row{8192, 1299.0, 422.21, 211.11}, {129'024, 20459.32, 104735.08, 52367.54}}) {
    CAPTURE(row.length);
    CHECK(std::abs(Products(llm, Batch(4, row.length)) - row.products) < 0.01);
    CHECK(std::abs(Scores(llm, Batch(4, row.length), "6M+12Lhs") - row.all) < 0.01);
    CHECK(std::abs(Scores(llm, Batch(4, row.length), "6M+6Lhs") - row.causal) < 0.01);
  }
}

// https://github.com/AI-Hypercomputer/maxtext/pull/678: 287.78 TFLOP with all experts, 79.98 with
// those that a token meets.
TEST_CASE("a token of Mixtral-8x7B works on its two experts, not on all eight") {
  const Llm llm = LoadLlm("mixtral-8x7b");
  Llm dense = llm;
  for (Layer& layer : dense.kinds) layer.ffn.experts_per_token = layer.ffn.experts;
  const double ratio = MatmulFlopsPerToken(dense) / MatmulFlopsPerToken(llm);
  CHECK(Near(ratio, 287.78 / 79.98, 0.02));
}

// https://github.com/NVIDIA-NeMo/RL/pull/2736: 64 heads of 128 are twice the hidden size.
TEST_CASE("attention work of Qwen3-235B comes from its heads, not from its hidden size") {
  const Llm llm = LoadLlm("qwen3-235b-a22b");
  const double petaflop = TrainingFlops(llm, {196'608}, "6M+6Lhs").value() / 1e15;
  CHECK(Near(petaflop, 204.4, 0.005));
  Llm wrong = llm;
  for (Layer& layer : wrong.kinds) {
    layer.attention.head_dim = llm.hidden / layer.attention.heads;
    layer.attention.value_dim = layer.attention.head_dim;
  }
  const double counted = TrainingFlops(wrong, {196'608}, "6M+6Lhs").value() / 1e15;
  CHECK(Near(petaflop / counted, 1.842, 0.01));
}

// https://github.com/NVIDIA-NeMo/Automodel/pull/3091: head_dim 64, and every other layer sees 128
// tokens.
TEST_CASE("gpt-oss-20b's windows and head size give Automodel's figure") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  CHECK(Near(TrainingFlops(llm, {4096}, "6M+6Lhs").value() / kTera, 93.848227282944, 1e-3));
}

// https://github.com/huggingface/trl/pull/6731: a lookup is no work, the head always is.
TEST_CASE("tied and untied embeddings cost the same work") {
  Llm tied = LoadLlm("llama-3.2-3b");
  REQUIRE(tied.tied_embeddings);
  Llm untied = tied;
  untied.tied_embeddings = false;
  CHECK(CountForwardFlops(tied, {512}).products == CountForwardFlops(untied, {512}).products);
  CHECK(TrainingFlops(tied, {512}, "6P+12Lhs") == TrainingFlops(untied, {512}, "6P+12Lhs"));
}

// https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/3839: sum of squares over square of the sum.
TEST_CASE("a packed batch's attention goes with the sum of squared lengths") {
  const Llm llm = LoadLlm("llama-2-7b");
  const double packed = Scores(llm, {4096, 2048, 1024, 1024}, "6M+12Lhs");
  const double whole = Scores(llm, {8192}, "6M+12Lhs");
  CHECK(Near(packed / whole, 0.34375, 1e-9));
  CHECK(Near(Products(llm, {4096, 2048, 1024, 1024}), Products(llm, {8192}), 1e-14));
}

// https://github.com/foundation-model-stack/fms-fsdp/issues/89: 1979 TFLOP/s is the sparse peak.
TEST_CASE("9600 tokens/s of Llama-2-7B on an H100 are an MFU of 45.5 %, not 22.7") {
  const MeasuredRate rate{LoadDevice("h100-sxm"), DType::kBf16, 9600};
  const FlopsReport report = ReportFlops(LoadLlm("llama-2-7b"), {{4096}}, rate);
  for (const FlopsByConvention& row : report.conventions) {
    if (row.convention == "6N+12Lhs") CHECK(std::abs(*row.mfu - 0.455) < 0.005);
    CHECK(*row.mfu > 0.35);
    CHECK(*row.hfu == *row.mfu);  // nothing is done twice
  }
}

// Korthikanti et al. 2022: 72 B L s h^2 (1 + s/6h + V/12hL) by the model; repeating the layers adds
// their forward pass, 24 B L s h^2 (1 + s/6h), and repeating the scores 4 B L s^2 h.
TEST_CASE("model and hardware FLOPs of a GPT follow Korthikanti's equations") {
  Llm llm = LoadLlm("llama-2-7b");
  const double layers = 96, hidden = 12'288, vocabulary = 51'200, length = 2048;
  Layer layer = llm.kinds[0];
  layer.attention.heads = layer.attention.kv_heads = 96;
  layer.attention.head_dim = layer.attention.value_dim = 128;
  layer.ffn.gated = false;
  layer.ffn.width = 49'152;
  llm.hidden = 12'288;
  llm.vocabulary = 51'200;
  llm.kinds = {layer};
  llm.layers.assign(96, 0);
  const double expected = 72 * layers * length * hidden * hidden *
                          (1 + length / (6 * hidden) + vocabulary / (12 * hidden * layers));
  CHECK(Near(TrainingFlops(llm, {2048}, "6M+12Lhs").value(), expected, 1e-12));
  const double again = 24 * layers * length * hidden * hidden * (1 + length / (6 * hidden));
  const double scores = 4 * layers * length * length * hidden;
  CHECK(Near(HardwareFlops(llm, {2048}, "6M+12Lhs", RepeatedWork::kLayers).value(),
             expected + again,
             1e-12));
  CHECK(Near(HardwareFlops(llm, {2048}, "6M+12Lhs", RepeatedWork::kScores).value(),
             expected + scores,
             1e-12));
}

TEST_CASE("repeating the layers adds a third of everything but the head") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const auto by = [&](RepeatedWork repeated) {
    return HardwareFlops(llm, {8192}, "6M+12Lhs", repeated).value();
  };
  const double none = by(RepeatedWork::kNone);
  const double scores = Scores(llm, {8192}, "6M+12Lhs") * kTera;
  CHECK(Near(by(RepeatedWork::kScores), none + scores / 3, 1e-12));
  const ForwardFlops forward = CountForwardFlops(llm, {8192});
  const double head = 3 * forward.products_by_part.at("head").value();
  CHECK(Near(by(RepeatedWork::kLayers), none + (none - head) / 3, 1e-12));
}

TEST_CASE("parts of the forward pass sum to its products, and a causal mask leaves about half") {
  const Llm llm = LoadLlm("deepseek-v3");
  const ForwardFlops forward = CountForwardFlops(llm, {4096});
  Flops sum;
  for (const auto& [part, flops] : forward.products_by_part) sum += flops;
  CHECK(Near(sum.value(), forward.products.value(), 1e-14));
  CHECK(Near(forward.causal_scores / forward.scores, 0.5, 1e-12));
}

TEST_CASE("a window as long as the sequence counts like none, a longer one too") {
  Llm llm = LoadLlm("gpt-oss-20b");
  const auto with_window = [&](std::int64_t window) {
    for (Layer& layer : llm.kinds) {
      layer.attention.kind = AttentionKind::kSliding;
      layer.attention.window = window;
    }
    return TrainingFlops(llm, {1000}, "6P+6Lhs");
  };
  const Flops equal = with_window(1000);
  CHECK(with_window(100'000) == equal);
  for (Layer& layer : llm.kinds) layer.attention.kind = AttentionKind::kFull;
  CHECK(TrainingFlops(llm, {1000}, "6P+6Lhs") == equal);
}

TEST_CASE("an encoder's mask leaves every pair") {
  Llm llm = LoadLlm("llama-3.1-8b");
  llm.causal = false;
  const ForwardFlops forward = CountForwardFlops(llm, {512});
  CHECK(forward.causal_scores == forward.scores);
}

TEST_CASE("an unknown convention, no sequence and an impossible rate are refused") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  CHECK_THROWS_AS(TrainingFlops(llm, {1}, "6Q"), ArgumentError);
  CHECK_THROWS_AS(ReportFlops(llm, {{}}), ArgumentError);
  CHECK_THROWS_AS(ReportFlops(llm, {{0}}), ArgumentError);
  const MeasuredRate rate{LoadDevice("h100-sxm"), DType::kBf16, -1};
  CHECK_THROWS_AS(ReportFlops(llm, {{1}}, rate), ArgumentError);
}

}  // namespace roofcast
