// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/state_scan.h"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

StateScan Scan(ScanRule rule, std::int64_t tokens) {
  StateScan op;
  op.rule = rule;
  op.tokens = tokens;
  op.heads = 8;
  op.head_dim = 64;
  op.groups = 2;
  op.state_dim = 128;
  return op;
}

}  // namespace

TEST_CASE("a chunk of a scan with shared decay does the five products of its blocks") {
  // One chunk of 256: scores of 2 groups, then for each of 8 heads scores x values, state of the
  // chunk, state x queries.
  const double products =
      2 * 2.0 * 256 * 256 * 128 + 8 * 2.0 * 256 * 256 * 64 + 8 * 2 * 2.0 * 256 * 128 * 64;
  const ScanWork one = WorkOf(Scan(ScanRule::kDecay, 256));
  CHECK(one.matrix.value() == doctest::Approx(products).epsilon(1e-12));
  CHECK(WorkOf(Scan(ScanRule::kDecay, 1024)).matrix.value() ==
        doctest::Approx(4 * products).epsilon(1e-12));
}

TEST_CASE("a chunk of the delta rule does the products of its WY form") {
  // One chunk of 64, each of 8 heads: keys x keys and queries x keys, W and U, scores x new values,
  // W, queries and keys with the state, and the triangle.
  const double c = 64;
  const double products = 8 * (2 * 2 * c * c * 128 + 2 * c * c * 128 + 2 * c * c * 64 +
                               2 * c * c * 64 + 3 * 2 * c * 128 * 64 + c * c * c / 3);
  const ScanWork one = WorkOf(Scan(ScanRule::kDelta, 64));
  CHECK(one.matrix.value() == doctest::Approx(products).epsilon(1e-12));
}

TEST_CASE("a scan over tokens reads its inputs, each state, and what its kernels hand on, once") {
  const double inputs = 1024 * (3 * 8 * 64 + 2 * 2 * 128) * 2.0;
  const double state = 8 * 64 * 128;
  // Four chunks: fp32 scores there and back, states in fp32 and then bf16.
  const double decay = 1024 * 2 * 256 * 8.0 + 4 * state * 12;
  CHECK(WorkOf(Scan(ScanRule::kDecay, 1024)).traffic.value() ==
        doctest::Approx(inputs + decay + 8 * state).epsilon(1e-12));
  // Sixteen chunks: triangles, W of 128, U and new values of 64, states in bf16.
  const double delta = 1024 * 8 * (64 * 12.0 + 2 * 128 * 2 + 4 * 64 * 2) + 16 * state * 4;
  CHECK(WorkOf(Scan(ScanRule::kDelta, 1024)).traffic.value() ==
        doctest::Approx(inputs + delta + 8 * state).epsilon(1e-12));
}

TEST_CASE("a scan with a decay for each number has no products, whatever its length") {
  const ScanWork work = WorkOf(Scan(ScanRule::kChannels, 4096));
  CHECK(work.matrix.value() == 0);
  CHECK(work.vector.value() == 4096 * 5.0 * 8 * 64 * 128);
}

TEST_CASE("work of a chunked scan grows with its length, not with its square") {
  for (const ScanRule rule : {ScanRule::kDecay, ScanRule::kDelta}) {
    const double once = WorkOf(Scan(rule, 4096)).matrix.value();
    CHECK(WorkOf(Scan(rule, 8192)).matrix.value() == doctest::Approx(2 * once).epsilon(1e-12));
  }
}

}  // namespace roofcast
