// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/flash_prefill.h"

#include <doctest/doctest.h>

#include <vector>

#include "hardware/catalog.h"
#include "tests/models/kernels/form_cases.h"

namespace roofcast {
namespace {

using testing::TimeAtPriors;

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

std::vector<Attention> Shapes() {
  std::vector<Attention> shapes = {
      {.batch = 1, .queries = 1, .keys = 1},
      {.batch = 64, .queries = 1, .keys = 1, .heads = 48, .kv_heads = 8},
      {.batch = 2, .queries = 4096, .keys = 4096, .heads = 32, .kv_heads = 8},
      {.batch = 3, .queries = 512, .keys = 9000, .heads = 16, .kv_heads = 2},
      {.queries = 300, .keys = 300, .heads = 5, .head_dim = 64, .value_dim = 64},
      {.queries = 2048, .keys = 2048, .heads = 64, .kv_heads = 8, .window = 128},
      {.queries = 20'000, .keys = 20'000, .heads = 8, .kv_heads = 8, .chunk = 8192},
      {.queries = 700, .keys = 700, .heads = 8, .head_dim = 192, .value_dim = 128},
      {.queries = 700, .keys = 700, .heads = 8, .head_dim = 256, .value_dim = 256},
      {.queries = 9000, .keys = 9000, .head_dim = 512, .value_dim = 512},
      {.batch = 16, .queries = 577, .keys = 577, .heads = 16, .causal = false}};
  shapes[2].writes_cache = shapes[2].rotates = true;
  shapes[6].backward = true;
  return shapes;
}

std::vector<FlashPrefill::Kernel> Kernels() {
  return {{},
          {.tile_rows = 128, .tile_keys = 128, .packs = 1},
          {.packs = 2, .walks_masked = true},
          {.tile_keys = 32, .packs = 1, .plans = true},
          {.eager = true}};
}

}  // namespace

TEST_CASE("derivatives of flash_prefill are central differences") {
  for (const Attention& op : Shapes()) {
    for (const auto& kernel : Kernels()) {
      CAPTURE(op.queries);
      CAPTURE(op.head_dim);
      CAPTURE(kernel.plans);
      testing::CheckDerivatives<FlashPrefill>(FlashPrefill::Prepare(op, H100(), kernel));
    }
  }
}

TEST_CASE("long prefill runs at the efficiency of its products and exponentials") {
  Attention op{.batch = 4, .queries = 200'000, .keys = 200'000, .heads = 32, .kv_heads = 8};
  auto values = testing::OffPriors<FlashPrefill>();
  const auto coefficients = FromArray<FlashPrefill, double>(values.data());
  const double time =
      FlashPrefill::TimeOf<double>(FlashPrefill::Prepare(op, H100(), {}), coefficients).time;
  const double work = 4.0 * 128 * 32 * 4 * AttentionPairs(op);
  const double mma = work / RateOf(H100(), DType::kBf16) / coefficients.compute_efficiency;
  const double exps = 32 * 4 * AttentionPairs(op) * coefficients.exponential /
                      (16 * 132 * H100().clock->value() * 1e-6);
  CHECK(time == doctest::Approx(std::cbrt(mma * mma * mma + exps * exps * exps)).epsilon(0.02));
}

TEST_CASE("a single token costs the launches and little more") {
  const double time = TimeAtPriors<FlashPrefill>({.queries = 1, .keys = 1}, H100());
  CHECK(time > 8);
  CHECK(time < 13);
}

TEST_CASE("prefill never gets faster with more sequences, tokens, heads or a wider window") {
  for (const Attention& op : Shapes()) {
    for (const auto& kernel : Kernels()) {
      if (kernel.plans) continue;  // a plan changes its tiles and parts with the shape
      const double time = TimeAtPriors<FlashPrefill>(op, H100(), kernel);
      std::vector<Attention> larger(6, op);
      larger[0].batch *= 2;
      larger[1].queries = op.queries == 1 ? 1 : 2 * op.queries;
      larger[1].keys += larger[1].queries - op.queries;
      larger[2].keys = op.queries == 1 || !op.causal ? op.keys : 2 * op.keys;
      larger[3].heads *= 2;
      larger[3].kv_heads *= 2;
      larger[4].window *= 2;
      larger[5].writes_cache = true;
      for (const Attention& more : larger) {
        CAPTURE(&more - larger.data());
        CAPTURE(op.queries);
        CHECK(TimeAtPriors<FlashPrefill>(more, H100(), kernel) >= time * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("a window leaves less to walk, unless the kernel walks through what it hides") {
  const Attention all{.queries = 8192, .keys = 8192, .heads = 32, .kv_heads = 8};
  Attention windowed = all;
  windowed.window = 512;
  const auto full = FlashPrefill::Prepare(all, H100(), {});
  const auto skips = FlashPrefill::Prepare(windowed, H100(), {});
  const auto walks = FlashPrefill::Prepare(windowed, H100(), {.walks_masked = true});
  CHECK(skips.key_tiles < full.key_tiles / 6);
  CHECK(walks.key_tiles + walks.masked_tiles == full.key_tiles);
  CHECK(walks.longest + walks.masked_longest == full.longest);
}

TEST_CASE("FlashInfer's plan: rows by the packed queries, parts as two blocks an SM allow") {
  const FlashPrefill::Kernel plan{.tile_keys = 32, .packs = 1, .plans = true};
  const auto features = [&](const Attention& op) {
    return FlashPrefill::Prepare(op, H100(), plan);
  };
  // 4 queries of 4 heads are 16 rows; 264 blocks over 8 KV heads leave 33 parts of 7 keys: at least
  // 128 a part, that is 8 of 1,024.
  const Attention chunk{.queries = 4, .keys = 1024, .heads = 32, .kv_heads = 8};
  CHECK(features(chunk).cta_size == doctest::Approx(16.0 / 128));
  CHECK(features(chunk).ctas == 8 * 8);
  CHECK(features(chunk).longest == 4);
  CHECK(features(chunk).merged > 0);
  // 64 sequences fill the device.
  Attention many = chunk;
  many.batch = 64;
  CHECK(features(many).ctas == 64 * 8);
  CHECK(features(many).merged == 0);
  Attention wide{.queries = 4096, .keys = 4096, .heads = 32, .kv_heads = 8};
  CHECK(features(wide).cta_size == 1);
  wide.head_dim = wide.value_dim = 256;
  CHECK(features(wide).cta_size == 1);  // 64 rows of heads twice as wide
}

TEST_CASE("what a step lists by itself isn't in the launch") {
  const FlashPrefill::Kernel measured_with_rotation{.rotates = true};
  Attention op{.batch = 4, .queries = 512, .keys = 512, .heads = 32, .kv_heads = 8};
  const double alone = TimeAtPriors<FlashPrefill>(op, H100(), measured_with_rotation);
  op.writes_cache = true;
  const double writing = TimeAtPriors<FlashPrefill>(op, H100(), measured_with_rotation);
  op.rotates = true;
  const double both = TimeAtPriors<FlashPrefill>(op, H100(), measured_with_rotation);
  CHECK(alone < writing);
  CHECK(writing < both);
}

TEST_CASE("eager launches take the host's time when that is longer") {
  const Attention small{.queries = 16, .keys = 16, .heads = 8, .kv_heads = 8, .latent = 576};
  CHECK(TimeAtPriors<FlashPrefill>(small, H100(), {.eager = true}) ==
        doctest::Approx(120).epsilon(0.01));
  Attention large = small;
  large.queries = large.keys = 32768;
  const double on_device = TimeAtPriors<FlashPrefill>(large, H100());
  CHECK(TimeAtPriors<FlashPrefill>(large, H100(), {.eager = true}) ==
        doctest::Approx(on_device).epsilon(0.001));
}

TEST_CASE("absorbed MLA multiplies latents of all heads: 3.4 times the work of expanded heads") {
  const Attention op{.queries = 4096,
                     .keys = 4096,
                     .heads = 16,
                     .kv_heads = 16,
                     .head_dim = 192,
                     .value_dim = 128,
                     .latent = 576};
  const auto expanded = FlashPrefill::Prepare(op, H100(), {});
  const auto absorbed = FlashPrefill::Prepare(op, H100(), {.absorbs = true});
  CHECK(absorbed.mma / expanded.mma == doctest::Approx((576 + 512) / 320.0));
  CHECK(absorbed.key_tiles == doctest::Approx(expanded.key_tiles).epsilon(0.02));
  CHECK(absorbed.cached == 4096 * 576 * 2);
}

TEST_CASE("backward does five products where forward does two") {
  Attention op{.queries = 8192, .keys = 8192, .heads = 32, .kv_heads = 8};
  const auto forward = FlashPrefill::Prepare(op, H100(), {});
  op.backward = true;
  const auto backward = FlashPrefill::Prepare(op, H100(), {});
  CHECK(backward.mma == 2.5 * forward.mma);
  CHECK(backward.io == 2 * forward.io);
}

TEST_CASE("heads that don't divide by KV heads and sizes of one don't trap") {
  for (const Attention& op :
       std::vector<Attention>{{.queries = 1, .keys = 1, .heads = 1, .kv_heads = 8},
                              {.queries = 7, .keys = 7, .heads = 7, .kv_heads = 3},
                              {.queries = 1, .keys = 1, .head_dim = 1, .value_dim = 1}}) {
    for (const auto& kernel : Kernels()) {
      const double time = TimeAtPriors<FlashPrefill>(op, H100(), kernel);
      CHECK(time > 0);
      CHECK(time < 130);
    }
  }
}

}  // namespace roofcast
