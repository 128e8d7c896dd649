// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kv_splits.h"

#include <algorithm>
#include <cmath>

#include "core/scalar.h"

namespace roofcast {
namespace {

constexpr std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t Fill(const SplitQuestion& q) {
  return std::min(std::max<std::int64_t>(1, q.units * q.per_unit / q.blocks),
                  CeilDiv(q.keys, q.step));
}

std::int64_t Xqa(const SplitQuestion& q) {
  constexpr double kMostWaves = 8;
  constexpr std::int64_t kMostPieces = 6000;
  const std::int64_t most = q.history / q.step;
  const auto rooted = static_cast<std::int64_t>(std::lround(std::sqrt(8.0 * Number(most))));
  std::int64_t pieces = std::max<std::int64_t>(1, std::min(most, rooted));
  const double waves = Number(q.blocks) * Number(pieces) / Number(q.units);
  if (waves > kMostWaves) {
    pieces = static_cast<std::int64_t>(std::floor(Number(pieces) * kMostWaves / waves));
  }
  pieces = std::max<std::int64_t>(pieces, 1);
  return std::max<std::int64_t>(std::min(pieces, kMostPieces / q.batch), 1);
}

// FlashAttention 3 never cuts so few steps.
constexpr std::int64_t kFewSteps = 4;

std::int64_t Balanced(const SplitQuestion& q) {
  const std::int64_t steps = CeilDiv(q.keys, q.step);
  if (steps <= kFewSteps) return 1;
  const auto share = static_cast<std::int64_t>(
      std::ceil(1.1 * Number(q.blocks) * Number(steps) / Number(q.units)));
  return std::max<std::int64_t>(1, std::min<std::int64_t>(CeilDiv(steps, share), 128));
}

std::int64_t Efficient(const SplitQuestion& q) {
  const std::int64_t steps = CeilDiv(q.keys, q.step);
  const std::int64_t slots = q.units * q.per_unit;
  if (Number(q.blocks) >= 0.8 * Number(slots)) return 1;
  const std::int64_t most = std::min({std::int64_t{128}, slots, steps});
  const auto changes = [&](std::int64_t s) {
    return s == 1 || CeilDiv(steps, s) != CeilDiv(steps, s - 1);
  };
  const auto fullness = [&](std::int64_t s) {
    const double waves = Number(q.blocks) * Number(s) / Number(slots);
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (std::int64_t s = 1; s <= most; ++s) {
    if (changes(s)) best = std::max(best, fullness(s));
  }
  for (std::int64_t s = 1; s <= most; ++s) {
    if (changes(s) && fullness(s) >= 0.85 * best) return s;
  }
  return 1;
}

std::int64_t Chunk(const SplitQuestion& q) {
  const std::int64_t room = std::max<std::int64_t>(1, q.units * q.per_unit / q.blocks);
  const std::int64_t chunk = std::max(q.step, CeilDiv(q.keys, room));
  return CeilDiv(q.keys, chunk);
}

std::int64_t Logarithmic(const SplitQuestion& q) {
  constexpr std::int64_t kMost = 8;
  const double longer = std::max(1.0, std::log2(std::max(1.0, Number(q.keys) / 64)));
  const auto wanted = static_cast<std::int64_t>(Number(q.units) * longer);
  const std::int64_t pieces = std::min(CeilDiv(wanted, q.blocks), kMost);
  return CeilDiv(q.keys, CeilDiv(q.keys, pieces));
}

std::int64_t CountOf(SplitRule rule, const SplitQuestion& q) {
  switch (rule) {
    case SplitRule::kNone:
      return 1;
    case SplitRule::kFill:
      return Fill(q);
    case SplitRule::kXqa:
      return Xqa(q);
    case SplitRule::kBalanced:
      return Balanced(q);
    case SplitRule::kEfficient:
      return Efficient(q);
    case SplitRule::kChunk:
      return Chunk(q);
    case SplitRule::kLogarithmic:
      return Logarithmic(q);
  }
  return 1;
}

}  // namespace

KvPieces KvSplits(SplitRule rule, const SplitQuestion& q) {
  KvPieces pieces;
  pieces.count = CountOf(rule, q);
  pieces.merged = pieces.count > 1;
  if (rule == SplitRule::kBalanced) {
    // Its host picks the kernel that merges before it knows the batch.
    pieces.merged = CeilDiv(q.keys, q.step) > kFewSteps &&
                    Number(q.blocks) / Number(q.batch) < 0.8 * Number(q.units);
  }
  return pieces;
}

}  // namespace roofcast
