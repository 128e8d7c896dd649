// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "hardware/catalog.h"
#include "tests/models/kernels/figures.h"

namespace roofcast {
namespace {

// Walks the mask: query i stands at position keys - queries + i and sees `window` positions up to
// its own.
struct Mask {
  std::int64_t pairs = 0;
  std::int64_t keys_seen = 0;
};
Mask WalkMask(std::int64_t queries, std::int64_t keys, std::int64_t window) {
  Mask mask;
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < queries; ++i) {
    const std::int64_t position = keys - queries + i;
    for (std::int64_t key = 0; key <= position; ++key) {
      if (window > 0 && key <= position - window) continue;
      ++mask.pairs;
      seen.insert(key);
    }
  }
  mask.keys_seen = static_cast<std::int64_t>(seen.size());
  return mask;
}

Cost<double> CostOnH100(const Attention& op) {
  static const Device device = LoadDevice("h100-sxm");
  static const Coefficients<double> coefficients = RoundCoefficients();
  return CostOf<double>(op, device, coefficients);
}

}  // namespace

TEST_CASE("attention scores the pairs that the causal mask leaves, with a prefix and a window") {
  for (const std::int64_t keys : {1, 2, 7, 16, 33}) {
    for (std::int64_t queries = 1; queries <= keys; ++queries) {
      for (const std::int64_t window : {0, 1, 2, 5, 16, 40}) {
        CAPTURE(keys);
        CAPTURE(queries);
        CAPTURE(window);
        const Mask mask = WalkMask(queries, keys, window);
        const Attention op{
            .queries = queries, .keys = keys, .head_dim = 8, .value_dim = 8, .window = window};
        CHECK(AttentionPairs(op) == static_cast<double>(mask.pairs));
        // Two products of 8 numbers; 16 bytes of query and output and 16 of key and value each.
        CHECK(CostOnH100(op).work == Flops(2 * 16 * static_cast<double>(mask.pairs)));
        CHECK(CostOnH100(op).traffic == Bytes(32 * static_cast<double>(queries + mask.keys_seen)));
      }
    }
  }
}

TEST_CASE("an encoder scores every pair, or those within a window around each token") {
  for (const std::int64_t tokens : {1, 2, 7, 33}) {
    for (const std::int64_t side : {0, 1, 3, 20, 64}) {
      CAPTURE(tokens);
      CAPTURE(side);
      std::int64_t pairs = 0;
      for (std::int64_t i = 0; i < tokens; ++i) {
        for (std::int64_t j = 0; j < tokens; ++j) pairs += i - j <= side && j - i <= side ? 1 : 0;
      }
      Attention op{.queries = tokens, .keys = tokens, .window = 2 * side + 1, .causal = false};
      CHECK(AttentionPairs(op) == static_cast<double>(pairs));
      op.window = 0;
      CHECK(AttentionPairs(op) == static_cast<double>(tokens * tokens));
    }
  }
}

TEST_CASE("attention pairs of a hundred million tokens don't overflow") {
  const Attention op{.queries = 100'000'000, .keys = 100'000'000};
  CHECK(AttentionPairs(op) == doctest::Approx(5e15).epsilon(1e-7));
}

TEST_CASE("grouped heads share keys and values but not the arithmetic") {
  const Attention mha{.batch = 3, .queries = 1, .keys = 1000, .heads = 32, .kv_heads = 32};
  Attention gqa = mha;
  gqa.kv_heads = 4;
  CHECK(CostOnH100(gqa).work == CostOnH100(mha).work);
  const Bytes query_and_output(3 * 32 * 256 * 2);
  CHECK(CostOnH100(mha).traffic - query_and_output ==
        8 * (CostOnH100(gqa).traffic - query_and_output));
}

TEST_CASE("flash attention's backward has five products: two and a half times the work") {
  const Attention forward{.batch = 2, .queries = 512, .keys = 512, .heads = 8, .kv_heads = 8};
  Attention backward = forward;
  backward.backward = true;
  CHECK(CostOnH100(backward).work == 2.5 * CostOnH100(forward).work);
  // MLA's keys are wider than its values: 3 products over 192 numbers and 2 over 128.
  Attention latent = backward;
  latent.head_dim = 192;
  CHECK(CostOnH100(latent).work.value() ==
        2 * (3 * 192 + 2 * 128) * 8 * 2 * AttentionPairs(forward));
}

TEST_CASE("absorbed MLA reads one latent of 576 numbers a token whatever the heads") {
  const Attention op{.batch = 4,
                     .queries = 1,
                     .keys = 4096,
                     .heads = 128,
                     .kv_heads = 1,
                     .head_dim = 576,
                     .value_dim = 512,
                     .shared_values = true};
  const Bytes latents(4.0 * 4096 * 576 * 2);
  const Bytes query_and_output(4.0 * 128 * (576 + 512) * 2);
  CHECK(CostOnH100(op).traffic == latents + query_and_output);
  CHECK(CostOnH100(op).work == Flops(2.0 * (576 + 512) * 128 * 4 * 4096));
}

TEST_CASE("one query runs with the coefficients of decode, several with those of prefill") {
  Coefficients<double> coefficients = RoundCoefficients();
  coefficients.decode_attention.intercept = Seconds(1);
  coefficients.prefill_attention.intercept = Seconds(2);
  const Device device = LoadDevice("h100-sxm");
  CHECK(CostOf<double>(Attention{.keys = 9}, device, coefficients).intercept == Seconds(1));
  CHECK(CostOf<double>(Attention{.queries = 2, .keys = 9}, device, coefficients).intercept ==
        Seconds(2));
}

}  // namespace roofcast
