// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/grouped_gemm_moe.h"

#include <doctest/doctest.h>

#include "hardware/catalog.h"
#include "tests/models/kernels/form_cases.h"

namespace roofcast {
namespace {

using Kernel = GroupedGemmMoe::Kernel;

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

FusedMoe DeepSeek(std::int64_t tokens, std::int64_t tp = 1, std::int64_t ep = 1) {
  return {.tokens = tokens,
          .hidden = 7168,
          .inter = 2048,
          .per_token = 8,
          .experts = 256,
          .tp = tp,
          .ep = ep};
}

std::vector<Kernel> Kernels() {
  return {{},
          {.tile_rule = GroupedGemmMoe::kTriton, .empty_blocks = true},
          {.tile_rule = GroupedGemmMoe::kMarlin, .own_tokens = true},
          {.tile_rule = GroupedGemmMoe::kAverage, .least_tile = 8, .most_tile = 64}};
}

std::int64_t TilesOf(const FusedMoe& op, const Kernel& kernel) {
  const auto features = GroupedGemmMoe::Prepare(op, H100(), kernel);
  std::int64_t found = 0;
  for (std::size_t i = 0; i < kTileRows.size(); ++i) {
    if (features.tiles[i] > 0) found = found * 1000 + kTileRows[i];
  }
  return found;
}

// All costs but those of the products' work and weights at nothing, and these at their best.
GroupedGemmMoe::Coefficients<double> Ideal() {
  GroupedGemmMoe::Coefficients<double> c;
  c.compute_efficiency = c.memory_efficiency = c.cache_gain = c.cache_share = 1;
  c.overlap = c.waves = 10;
  c.busy_share = 1e-6;
  return c;
}

}  // namespace

TEST_CASE("derivatives of the fused experts are central differences") {
  for (const Kernel& kernel : Kernels()) {
    for (FusedMoe op : {DeepSeek(1), DeepSeek(64, 2, 8), DeepSeek(3000, 1, 32), DeepSeek(60'000)}) {
      CAPTURE(op.tokens);
      CAPTURE(kernel.tile_rule);
      op.warm_weights = op.tokens < 3000;
      testing::CheckDerivatives<GroupedGemmMoe>(GroupedGemmMoe::Prepare(op, H100(), kernel));
    }
  }
}

TEST_CASE("one token streams the weights of its experts") {
  const auto features = GroupedGemmMoe::Prepare(DeepSeek(1), H100(), {});
  const double bytes = 8.0 * 3 * 7168 * 2048 * 2;
  const double time = GroupedGemmMoe::TimeOf(features, Ideal()).time;
  CHECK(time == doctest::Approx(bytes / 3.35e6).epsilon(1e-3));
}

TEST_CASE("many tokens multiply at the rate of a dense product") {
  const auto features = GroupedGemmMoe::Prepare(DeepSeek(1'000'000), H100(), {});
  const double flops = 2.0 * 8e6 * 3 * 7168 * 2048;
  const double time = GroupedGemmMoe::TimeOf(features, Ideal()).time;
  CHECK(time > flops / RateOf(H100(), DType::kBf16));
  CHECK(time < 1.03 * flops / RateOf(H100(), DType::kBf16));
}

TEST_CASE("ranks that share experts or their width do the work of one, between them") {
  for (const Kernel& kernel : Kernels()) {
    const auto whole = GroupedGemmMoe::Prepare(DeepSeek(512), H100(), kernel);
    for (const std::int64_t ranks : {2, 8, 64}) {
      const auto by_expert = GroupedGemmMoe::Prepare(DeepSeek(512, 1, ranks), H100(), kernel);
      const auto by_width = GroupedGemmMoe::Prepare(DeepSeek(512, ranks, 1), H100(), kernel);
      const double n = Number(ranks);
      for (std::size_t g = 0; g < 2; ++g) {
        const double weights = whole.products[g].weights;
        CHECK(by_expert.products[g].weights * n == doctest::Approx(weights));
        CHECK(by_width.products[g].weights * n == doctest::Approx(weights));
        CHECK(by_expert.products[g].rows * n == doctest::Approx(whole.products[g].rows));
      }
      CHECK(by_expert.active * n == doctest::Approx(whole.active));
      CHECK(by_width.active == doctest::Approx(whole.active));
      CHECK(by_expert.experts * n == whole.experts);
    }
  }
}

TEST_CASE("the engines' rules pick the tile") {
  const Kernel triton{.tile_rule = GroupedGemmMoe::kTriton};
  CHECK(TilesOf(DeepSeek(256), triton) == 16);
  CHECK(TilesOf(DeepSeek(257), triton) == 64);
  CHECK(TilesOf(DeepSeek(33, 1, 8), triton) == 64);  // a rank has 32
  const Kernel marlin{.tile_rule = GroupedGemmMoe::kMarlin};
  CHECK(TilesOf(DeepSeek(1), marlin) == 8);
  CHECK(TilesOf(DeepSeek(1024), marlin) == 48);  // 32 rows an expert: more than 0.9 of 32
  CHECK(TilesOf(DeepSeek(8192), marlin) == 64);
  const Kernel average{.tile_rule = GroupedGemmMoe::kAverage, .least_tile = 8, .most_tile = 64};
  CHECK(TilesOf(DeepSeek(256), average) == 8);
  CHECK(TilesOf(DeepSeek(257), average) == 16);
  CHECK(TilesOf(DeepSeek(32, 1, 8), average) == 8);
  CHECK(TilesOf(DeepSeek(33, 1, 8), average) == 16);  // a rank has 32 experts
  CHECK(TilesOf(DeepSeek(100'000), average) == 64);
  const Kernel stepped{.tile_rule = GroupedGemmMoe::kStepped};
  CHECK(TilesOf(DeepSeek(96), stepped) == 32);
  CHECK(TilesOf(DeepSeek(97), stepped) == 64);
  const Kernel tuned{.tile_rule = GroupedGemmMoe::kTriton, .most_tile = 32, .tuned_experts = 256};
  CHECK(TilesOf(DeepSeek(1), tuned) == 16'032);
  CHECK(TilesOf(DeepSeek(1), {}) == 16'032'048'064'128);  // a tuner tries all
}

TEST_CASE("weights that were just used come faster, but only where they fit the cache") {
  const Kernel small_tiles{.least_tile = 8, .most_tile = 8};  // little computing
  FusedMoe small = DeepSeek(1);
  small.inter = 64;
  FusedMoe large = DeepSeek(512);
  for (const auto& [op, gains] : {std::pair{small, true}, std::pair{large, false}}) {
    FusedMoe warm = op;
    warm.warm_weights = true;
    auto coefficients = Ideal();
    coefficients.cache_gain = 3;
    const auto time_of = [&](const FusedMoe& one) {
      return GroupedGemmMoe::TimeOf(GroupedGemmMoe::Prepare(one, H100(), small_tiles), coefficients)
          .time;
    };
    CHECK((time_of(warm) < 0.5 * time_of(op)) == gains);
    CHECK((time_of(warm) > 0.99 * time_of(op)) == !gains);
  }
}

TEST_CASE("formats are named by what is stored and what is multiplied") {
  FusedMoe op;
  const auto name = [&](DType weights, DType input, double overhead, std::int64_t block) {
    op.weights = weights;
    op.input = op.math = input;
    op.weight_overhead = overhead;
    op.scale_block = block;
    return GroupedGemmMoe::FormatOf(op);
  };
  CHECK(name(DType::kBf16, DType::kBf16, 1, 0) == "bf16");
  CHECK(name(DType::kFp8, DType::kFp8, 1, 0) == "fp8");
  CHECK(name(DType::kFp8, DType::kFp8, 1.0002, 128) == "fp8_block");
  CHECK(name(DType::kMxfp4, DType::kBf16, 1, 0) == "w4a16 mxfp4");
  CHECK(name(DType::kFp4, DType::kBf16, 1.0625, 32) == "w4a16 mxfp4");
  CHECK(name(DType::kMxfp4, DType::kFp8, 1, 0) == "w4a8 mxfp4");
  CHECK(name(DType::kNvfp4, DType::kNvfp4, 1, 0) == "nvfp4");
  CHECK(name(DType::kFp4, DType::kFp4, 1.125, 16) == "nvfp4");
  CHECK(name(DType::kInt4, DType::kBf16, 1.03, 128) == "int4_wo");
}

}  // namespace roofcast
