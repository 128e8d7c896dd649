// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/grid.h"

#include <algorithm>

namespace roofcast::bench::cuda {
namespace {

using Sizes = std::vector<std::int64_t>;

// first, first * factor, ... up to last.
Sizes Powers(std::int64_t first, std::int64_t last, std::int64_t factor) {
  Sizes sizes;
  for (std::int64_t size = first; size <= last; size *= factor) sizes.push_back(size);
  return sizes;
}

// Of W[n,k]: square ones for the shape of the curve, and projections of common models whole and
// divided among GPUs: attention in and out, feed-forward up and down, the vocabulary.
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 8> kQuickWeights = {{
    {1024, 1024},
    {4096, 4096},
    {8192, 8192},
    {6144, 4096},
    {28672, 4096},
    {4096, 14336},
    {1280, 8192},
    {8192, 3584},
}};
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 16> kMoreWeights = {{
    {128, 4096},
    {512, 512},
    {2048, 2048},
    {3072, 3072},
    {7168, 7168},
    {12288, 12288},
    {16384, 16384},
    {2560, 5120},
    {5120, 2048},
    {10240, 8192},
    {57344, 8192},
    {8192, 28672},
    {7168, 2048},
    {2112, 7168},
    {7168, 18432},
    {128256, 4096},
}};

// Heads of a GPU: (heads, kv_heads, head_dim).
struct Heads {
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t head_dim;
};
constexpr std::array<Heads, 3> kQuickHeads = {{{32, 8, 128}, {8, 1, 128}, {32, 32, 64}}};
constexpr std::array<Heads, 6> kMoreHeads = {
    {{16, 2, 128}, {32, 32, 128}, {4, 1, 128}, {64, 8, 64}, {64, 4, 128}, {24, 1, 128}}};

std::vector<Heads> HeadsOf(GridSize size) {
  std::vector<Heads> all(kQuickHeads.begin(), kQuickHeads.end());
  if (size == GridSize::kFull) all.insert(all.end(), kMoreHeads.begin(), kMoreHeads.end());
  return all;
}

std::int64_t BytesOf(GemmFormat format) {
  switch (format) {
    case GemmFormat::kFp8:
    case GemmFormat::kInt8:
      return 1;
    case GemmFormat::kTf32:
    case GemmFormat::kFp32:
      return 4;
    default:
      return 2;
  }
}

}  // namespace

std::vector<GemmPoint> GemmGrid(GridSize size) {
  const Sizes tokens =
      size == GridSize::kQuick
          ? Sizes{1, 8, 32, 128, 512, 2048, 8192}
          : Sizes{1,   2,   4,   8,   16,  24,   32,   48,   64,   96,   128,  160,
                  192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384};
  std::vector<std::pair<std::int64_t, std::int64_t>> weights(kQuickWeights.begin(),
                                                             kQuickWeights.end());
  if (size == GridSize::kFull) {
    weights.insert(weights.end(), kMoreWeights.begin(), kMoreWeights.end());
  }
  std::vector<GemmPoint> points;
  points.reserve(tokens.size() * weights.size());
  for (const auto& [n, k] : weights) {
    for (const std::int64_t m : tokens) points.push_back({m, n, k});
  }
  return points;
}

// A prompt alone, in a batch, and behind a cached prefix; no case beyond what a GPU is given at
// once.
std::vector<AttentionPoint> PrefillGrid(GridSize size) {
  const bool full = size == GridSize::kFull;
  constexpr std::int64_t kMostTokens = 65536;
  std::vector<AttentionPoint> points;
  for (const Heads& of : HeadsOf(size)) {
    const auto add = [&](std::int64_t batch, std::int64_t q, std::int64_t prefix, std::int64_t w) {
      if (batch * (q + prefix) > kMostTokens) return;
      points.push_back({batch, q, q + prefix, of.heads, of.kv_heads, of.head_dim, w});
    };
    for (const std::int64_t q : Powers(full ? 16 : 128, full ? 65536 : 16384, full ? 2 : 4)) {
      for (const std::int64_t batch : full ? Sizes{1, 2, 4, 8, 16, 64} : Sizes{1, 8}) {
        add(batch, q, 0, 0);
      }
    }
    for (const std::int64_t prefix : full ? Sizes{1000, 4096, 32768} : Sizes{8192}) {
      add(1, 512, prefix, 0);
      add(1, 2048, prefix, 0);
    }
    for (const std::int64_t q : full ? Sizes{2048, 8192, 32768} : Sizes{8192}) {
      add(1, q, 0, 1024);
    }
  }
  return points;
}

std::vector<AttentionPoint> DecodeGrid(GridSize size) {
  const bool full = size == GridSize::kFull;
  constexpr std::int64_t kMostCached = 2 << 20;
  std::vector<AttentionPoint> points;
  for (const Heads& of : HeadsOf(size)) {
    for (const std::int64_t cached : Powers(full ? 16 : 128, 131072, full ? 2 : 8)) {
      for (const std::int64_t batch : Powers(1, 256, full ? 2 : 8)) {
        if (batch * cached > kMostCached) continue;
        points.push_back({batch, 1, cached + 1, of.heads, of.kv_heads, of.head_dim, 0});
      }
    }
    for (const std::int64_t batch : full ? Sizes{1, 8, 64} : Sizes{8}) {
      points.push_back({batch, 1, 8193, of.heads, of.kv_heads, of.head_dim, 1024});
    }
  }
  return points;
}

std::vector<AttentionPoint> VerifyAttentionGrid() {
  return {
      {1, 19, 19, 1, 1, 64, 0},
      {2, 130, 130, 4, 2, 64, 0},
      {1, 70, 70, 2, 1, 128, 0},
      {1, 33, 150, 1, 1, 64, 0},
      {1, 130, 170, 2, 2, 128, 37},
      {2, 1, 5, 2, 2, 64, 0},
      {2, 1, 333, 8, 2, 128, 0},
      {1, 1, 40, 20, 1, 64, 0},
      {1, 1, 4099, 8, 1, 128, 0},
      {1, 1, 3000, 4, 4, 64, 1100},
  };
}

std::vector<RowPoint> RowGrid(GridSize size) {
  const bool full = size == GridSize::kFull;
  std::vector<RowPoint> points;
  for (const auto& [op, name] : EnumNames<RowOp>::kNames) {
    const Sizes cols =
        full ? Sizes{1024, 2048, 4096, 5120, 8192, 14336, 28672} : Sizes{4096, 14336};
    for (const std::int64_t width : cols) {
      for (const std::int64_t rows : Powers(1, full ? 32768 : 16384, full ? 2 : 8)) {
        points.push_back({op, rows, width});
      }
    }
  }
  // Over the vocabulary, as sampling does.
  for (const std::int64_t rows : full ? Sizes{1, 8, 64, 256} : Sizes{1, 64}) {
    points.push_back({RowOp::kSoftmax, rows, 128256});
  }
  return points;
}

std::vector<std::int64_t> CollectiveGrid(GridSize size) {
  // 840 = lcm(1..8): every number of GPUs gets equal parts of whole 16-byte pieces.
  constexpr std::int64_t kFirst = 16L * 840;
  return Powers(kFirst, (1LL << 30) / 2 * 3, size == GridSize::kFull ? 2 : 8);
}

std::vector<HostPoint> HostGrid(GridSize size) {
  std::vector<HostPoint> points = {
      {HostOp::kLaunchEager, 0}, {HostOp::kLaunchGraphNode, 0}, {HostOp::kLaunchGraph, 0}};
  for (const HostOp op : {HostOp::kHostToDevice, HostOp::kDeviceToHost}) {
    for (const std::int64_t bytes : Powers(4096, 1 << 28, size == GridSize::kFull ? 2 : 8)) {
      points.push_back({op, bytes});
    }
  }
  return points;
}

Footprint FootprintOf(const GemmPoint& point, GemmFormat format) {
  const std::int64_t element = BytesOf(format);
  // Results: bf16 of fp8, 32-bit integers of int8, else the format itself. fp8 has its bf16 input
  // beside the quantised one.
  const std::int64_t out = format == GemmFormat::kInt8 ? 4 : std::max<std::int64_t>(2, element);
  const std::int64_t in = format == GemmFormat::kFp8 ? 3 : element;
  return {point.m * point.k * in + point.m * point.n * out, point.n * point.k * element};
}

Footprint FootprintOf(const AttentionPoint& point) {
  const std::int64_t queries = point.batch * point.q_len * point.heads * point.head_dim;
  const std::int64_t keys = point.batch * point.kv_len * point.kv_heads * point.head_dim;
  return {2 * queries * 2, 2 * keys * 2};
}

Footprint FootprintOf(const RowPoint& point) {
  const bool two = point.op == RowOp::kAdd || point.op == RowOp::kSiluMul;
  return {2 * point.cols, (two ? 6 : 4) * point.rows * point.cols};
}

std::int64_t CopiesThatFit(const Footprint& footprint, std::int64_t memory, std::int64_t wanted) {
  const std::int64_t left = memory - footprint.fixed;
  if (left < footprint.rotated) return 0;
  return footprint.rotated == 0 ? wanted : std::min(wanted, left / footprint.rotated);
}

std::int64_t BytesReadAndWritten(const RowPoint& point) {
  const std::int64_t elements = point.rows * point.cols;
  switch (point.op) {
    case RowOp::kAdd:
    case RowOp::kSiluMul:
      return 6 * elements;  // two in, one out
    case RowOp::kQuantiseFp8:
      return 3 * elements;
    case RowOp::kRmsNorm:
      return 4 * elements + 2 * point.cols;
    default:
      return 4 * elements;
  }
}

}  // namespace roofcast::bench::cuda
