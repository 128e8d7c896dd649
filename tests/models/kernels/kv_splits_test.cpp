// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kv_splits.h"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

// Of H100's 132 units.
SplitQuestion On132(std::int64_t keys, std::int64_t blocks) {
  return {.keys = keys, .history = keys, .blocks = blocks, .batch = blocks, .units = 132};
}

std::int64_t Count(SplitRule rule, const SplitQuestion& q) {
  return KvSplits(rule, q).count;
}

}  // namespace

TEST_CASE("XQA takes about the square root of eight pieces of 128 keys, and eight CTAs a unit") {
  CHECK(Count(SplitRule::kXqa, On132(127, 1)) == 1);
  CHECK(Count(SplitRule::kXqa, On132(1024, 1)) == 8);
  CHECK(Count(SplitRule::kXqa, On132(2048, 1)) == 11);      // sqrt(8 * 16) = 11.3
  CHECK(Count(SplitRule::kXqa, On132(131'072, 1)) == 91);   // sqrt(8 * 1024) = 90.5
  CHECK(Count(SplitRule::kXqa, On132(131'072, 32)) == 33);  // 8 * 132 / 32
  CHECK(Count(SplitRule::kXqa, On132(131'072, 5000)) == 1);
}

TEST_CASE("XQA counts the keys before the window as well") {
  SplitQuestion q = On132(128, 16);
  q.history = 32'768;
  CHECK(Count(SplitRule::kXqa, q) > Count(SplitRule::kXqa, On132(128, 16)));
}

TEST_CASE("filling takes what the units hold and no more than there are steps") {
  SplitQuestion q = On132(1'000'000, 10);
  CHECK(Count(SplitRule::kFill, q) == 13);
  q.per_unit = 2;
  CHECK(Count(SplitRule::kFill, q) == 26);
  q.keys = 1000;
  CHECK(Count(SplitRule::kFill, q) == 8);
  CHECK(Count(SplitRule::kFill, On132(1'000'000, 133)) == 1);
}

TEST_CASE("FlashAttention 3 gives each unit an even share of blocks and a tenth more") {
  CHECK(Count(SplitRule::kBalanced, On132(512, 1)) == 1);  // four blocks are never cut
  SplitQuestion q{.keys = 16'384, .history = 16'384, .blocks = 16, .batch = 16, .units = 108};
  CHECK(Count(SplitRule::kBalanced, q) == 7);  // ceil(128 / 21)
  q.blocks = q.batch = 32;
  CHECK(Count(SplitRule::kBalanced, q) == 4);  // ceil(128 / 42)
}

TEST_CASE("FlashAttention 3 merges whatever the batch once a sequence alone would be cut") {
  const KvPieces pieces = KvSplits(SplitRule::kBalanced, On132(8192, 1000));
  CHECK(pieces.count == 1);
  CHECK(pieces.merged);
  CHECK_FALSE(KvSplits(SplitRule::kBalanced, On132(512, 1)).merged);
}

TEST_CASE("FlashAttention 2 takes the fewest pieces within 85 % of the fullest last wave") {
  // 48 CTAs on 108 slots: two pieces fill 0.89 of a wave, three 0.67 of two.
  SplitQuestion q{.keys = 8192, .history = 8192, .blocks = 48, .batch = 48, .units = 54};
  q.per_unit = 2;
  CHECK(Count(SplitRule::kEfficient, q) == 2);
  q.blocks = 87;  // above 80 % of 108
  CHECK(Count(SplitRule::kEfficient, q) == 1);
}

TEST_CASE("FlashInfer's chunks are as short as still run at once, and not below a step") {
  CHECK(Count(SplitRule::kChunk, On132(4096, 33)) == 4);
  CHECK(Count(SplitRule::kChunk, On132(300, 1)) == 3);
  CHECK(Count(SplitRule::kChunk, On132(4096, 132)) == 1);
}

TEST_CASE("SGLang's Triton kernel takes up to eight pieces, the more the longer the cache") {
  CHECK(Count(SplitRule::kLogarithmic, On132(4096, 1)) == 8);
  CHECK(Count(SplitRule::kLogarithmic, On132(64, 132)) == 1);
  CHECK(Count(SplitRule::kLogarithmic, On132(4096, 264)) == 3);  // 132 * 6 / 264
}

TEST_CASE("every rule gives one piece of one key") {
  for (std::int64_t rule = 0; rule <= static_cast<std::int64_t>(SplitRule::kLogarithmic); ++rule) {
    CHECK(Count(static_cast<SplitRule>(rule), {}) == 1);
  }
}

}  // namespace roofcast
