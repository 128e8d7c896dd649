// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/split_decode.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "hardware/catalog.h"
#include "tests/models/kernels/form_cases.h"

namespace roofcast {
namespace {

using Kernel = SplitDecode::Kernel;

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

Attention Llama(std::int64_t batch, std::int64_t keys) {
  return {
      .batch = batch, .queries = 1, .keys = keys, .heads = 32, .kv_heads = 8, .writes_cache = true};
}

Attention Latent(std::int64_t batch, std::int64_t keys) {
  return {.batch = batch,
          .queries = 1,
          .keys = keys,
          .heads = 16,
          .head_dim = 576,
          .value_dim = 512,
          .shared_values = true,
          .latent = 576};
}

Kernel Xqa() {
  return {.split_rule = static_cast<std::int64_t>(SplitRule::kXqa),
          .row_tile = 8,
          .rows_most = 32,
          .counts_history = true,
          .head_resident = -1,
          .head_up_to = 1,
          .head_above = 32,
          .head_unless_filled = true};
}

std::vector<Kernel> Kernels() {
  return {{},
          Xqa(),
          {.split_rule = static_cast<std::int64_t>(SplitRule::kEfficient),
           .per_unit = 2,
           .row_tile = 64,
           .rounds = true,
           .swaps = true},
          {.split_rule = static_cast<std::int64_t>(SplitRule::kBalanced), .eager = true}};
}

double TimeOn(const Attention& op, const Kernel& kernel) {
  return testing::TimeAtPriors<SplitDecode>(op, H100(), kernel);
}

bool IsPerHead(const Attention& op, const Kernel& kernel) {
  return SplitDecode::Prepare(op, H100(), kernel).per_head;
}

}  // namespace

TEST_CASE("derivatives of split_decode are central differences") {
  std::vector<Attention> shapes = {
      Llama(1, 2), Llama(1, 100'000), Llama(500, 1000), Llama(3, 5000), Latent(7, 3000)};
  shapes.push_back({.batch = 9,
                    .queries = 1,
                    .keys = 700,
                    .heads = 64,
                    .kv_heads = 8,
                    .head_dim = 192,
                    .value_dim = 192,
                    .window = 128});
  shapes.push_back({.batch = 2,
                    .queries = 1,
                    .keys = 700,
                    .heads = 96,
                    .kv_heads = 2,
                    .head_dim = 256,
                    .value_dim = 256,
                    .kv = DType::kFp8});
  for (const Attention& op : shapes) {
    for (const Kernel& kernel : Kernels()) {
      CAPTURE(op.batch);
      CAPTURE(op.keys);
      CAPTURE(kernel.split_rule);
      testing::CheckDerivatives<SplitDecode>(SplitDecode::Prepare(op, H100(), kernel));
    }
  }
}

TEST_CASE("decode of a long cache runs at the reachable memory bandwidth") {
  const Attention op = Llama(256, 100'000);
  const double bytes = 256.0 * 100'000 * 8 * 2 * 128 * 2;
  constexpr double kPrior = 0.85;  // of memory_efficiency
  const double reachable = bytes / (3350e3 * kPrior);
  for (const Kernel& kernel : Kernels()) {
    CHECK(TimeOn(op, kernel) == doctest::Approx(reachable).epsilon(0.1));
  }
}

TEST_CASE("decode of a few tokens takes a launch and one CTA") {
  const double least = 7 + 1.5;  // the priors of both
  CHECK(TimeOn(Llama(1, 2), {}) == doctest::Approx(least).epsilon(0.05));
  Kernel eager;
  eager.eager = true;
  CHECK(TimeOn(Llama(1, 2), eager) == doctest::Approx(150).epsilon(0.01));
}

TEST_CASE("decode without pieces grows with keys and batch") {
  const Kernel whole{.split_rule = static_cast<std::int64_t>(SplitRule::kNone)};
  for (std::int64_t size = 1; size < 4000; size = size * 3 / 2 + 1) {
    CAPTURE(size);
    CHECK(TimeOn(Llama(4, size + 2), whole) > TimeOn(Llama(4, size + 1), whole));
    CHECK(TimeOn(Llama(size + 1, 300), whole) >= TimeOn(Llama(size, 300), whole));
    CHECK(TimeOn(Latent(4, size + 2), whole) > TimeOn(Latent(4, size + 1), whole));
  }
}

TEST_CASE("decode grows with keys and batch but for the steps of splitting") {
  for (const Kernel& kernel : Kernels()) {
    double last_keys = 0;
    double last_batch = 0;
    for (std::int64_t size = 64; size <= 65'536; size *= 4) {
      CAPTURE(kernel.split_rule);
      CAPTURE(size);
      const double keys = TimeOn(Llama(16, size), kernel);
      const double batch = TimeOn(Llama(size / 32, 1000), kernel);
      CHECK(keys > 0.85 * last_keys);
      CHECK(batch > 0.85 * last_batch);
      last_keys = keys;
      last_batch = batch;
    }
  }
}

TEST_CASE("XQA shares a KV head among 2 to 32 query heads once it fills a quarter of the units") {
  const auto shape = [](std::int64_t batch, std::int64_t keys, std::int64_t heads) {
    return Attention{.batch = batch, .queries = 1, .keys = keys, .heads = heads};
  };
  CHECK(IsPerHead(shape(1000, 100, 1), Xqa()));
  CHECK_FALSE(IsPerHead(shape(1000, 100, 2), Xqa()));
  CHECK_FALSE(IsPerHead(shape(1000, 100, 32), Xqa()));
  CHECK(IsPerHead(shape(1000, 100, 33), Xqa()));
  CHECK(IsPerHead(shape(32, 100, 4), Xqa()));  // 4 * 32 < 132
  CHECK_FALSE(IsPerHead(shape(33, 100, 4), Xqa()));
  CHECK_FALSE(IsPerHead(shape(1, std::int64_t{33} * 128, 4), Xqa()));
}

TEST_CASE("FlashAttention 2 neither shares nor splits in a window") {
  const Kernel kernel{.split_rule = static_cast<std::int64_t>(SplitRule::kEfficient),
                      .head_split_rule = static_cast<std::int64_t>(SplitRule::kNone),
                      .head_in_window = true};
  Attention op = Llama(1, 10'000);
  CHECK_FALSE(IsPerHead(op, kernel));
  op.window = 4096;
  CHECK(SplitDecode::Prepare(op, H100(), kernel).pieces == 1);
}

TEST_CASE("a window and a chunk bound what decode reads") {
  Attention op = Llama(512, 100'000);
  op.window = 1000;
  CHECK(TimeOn(op, {}) == doctest::Approx(TimeOn(Llama(512, 1000), {})));
  op.window = 0;
  op.chunk = 8192;  // 100,000 is the 1,696th of its chunk
  CHECK(TimeOn(op, {}) == doctest::Approx(TimeOn(Llama(512, 1696), {})));
}

TEST_CASE("latents are read once, with their values") {
  const auto time = SplitDecode::Prepare(Latent(64, 10'000), H100(), {});
  CHECK(time.memory == doctest::Approx((64 * 10'000.0 * 576 * 2 + 64 * 16 * 1088 * 2) / 3350e3));
}

TEST_CASE("the cache write counts only where the operator contains it") {
  Attention without = Llama(256, 100);
  without.writes_cache = false;
  CHECK(TimeOn(without, {}) < TimeOn(Llama(256, 100), {}));
}

TEST_CASE("decode is named by its formats and by whether it reads latents") {
  Attention op = Llama(1, 100);
  CHECK(SplitDecode::FamilyOf(op) == "decode");
  CHECK(SplitDecode::FormatOf(op) == "bf16");
  op.kv = DType::kFp8;
  CHECK(SplitDecode::FormatOf(op) == "bf16, kv fp8");
  CHECK(SplitDecode::FamilyOf(Latent(1, 100)) == "mla_decode");
}

}  // namespace roofcast
