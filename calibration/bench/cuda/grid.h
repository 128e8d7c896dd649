// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"

namespace roofcast::bench::cuda {

// How many shapes are measured: a few minutes or an hour of a GPU.
enum class GridSize : std::uint8_t { kQuick, kFull };

// Number formats of the GEMMs, by the names of the column `dtype`. fp8 quantises its bf16 input in
// the measured time, as the public data does; int8 leaves 32-bit integers.
enum class GemmFormat : std::uint8_t { kBf16, kFp16, kFp8, kInt8, kTf32, kFp32 };

// Operators on rows of bf16, by the names of the column `op`.
enum class RowOp : std::uint8_t { kCopy, kAdd, kSiluMul, kGelu, kRmsNorm, kSoftmax, kQuantiseFp8 };

// What the host has a hand in, by the names of the column `op`: an empty kernel launched alone, as
// one more node of a graph, and as a graph of one; copies from and to pinned memory.
enum class HostOp : std::uint8_t {
  kLaunchEager,
  kLaunchGraphNode,
  kLaunchGraph,
  kHostToDevice,
  kDeviceToHost,
};

// What runs between GPUs, by the names of the column `op`.
enum class Collective : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll };

// out[m,n] = x[m,k] W[n,k]^T.
struct GemmPoint {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// Causal attention in bf16; q_len 1 is decode. `window` 0: all keys.
struct AttentionPoint {
  std::int64_t batch = 1;
  std::int64_t q_len = 1;
  std::int64_t kv_len = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
};

struct RowPoint {
  RowOp op = RowOp::kCopy;
  std::int64_t rows = 1;
  std::int64_t cols = 8;
};

struct HostPoint {
  HostOp op = HostOp::kLaunchEager;
  std::int64_t bytes = 0;  // of copies
};

std::vector<GemmPoint> GemmGrid(GridSize size);
std::vector<AttentionPoint> PrefillGrid(GridSize size);
std::vector<AttentionPoint> DecodeGrid(GridSize size);
std::vector<RowPoint> RowGrid(GridSize size);
// Small shapes that reach every branch of the kernels, for checks of their results.
std::vector<AttentionPoint> VerifyAttentionGrid();
// Sizes as nccl-tests count them, in bytes: multiples of every number of GPUs up to 8.
std::vector<std::int64_t> CollectiveGrid(GridSize size);
std::vector<HostPoint> HostGrid(GridSize size);

// What an operator keeps in memory. `Rotated` is the part of which `--copies` are made, so that it
// comes from memory and not from the cache; the rest exists once.
struct Footprint {
  std::int64_t fixed = 0;
  std::int64_t rotated = 0;
};
Footprint FootprintOf(const GemmPoint& point, GemmFormat format);
Footprint FootprintOf(const AttentionPoint& point);
Footprint FootprintOf(const RowPoint& point);
// Copies that fit: `wanted`, fewer where memory is short, 0 when not even one does.
std::int64_t CopiesThatFit(const Footprint& footprint, std::int64_t memory, std::int64_t wanted);

// Bytes that a row operator reads and writes at least: the column `bytes_rw`.
std::int64_t BytesReadAndWritten(const RowPoint& point);

}  // namespace roofcast::bench::cuda

namespace roofcast {

template <>
struct EnumNames<bench::cuda::GemmFormat> {
  using Format = bench::cuda::GemmFormat;
  static constexpr std::array<std::pair<Format, std::string_view>, 6> kNames = {{
      {Format::kBf16, "bf16"},
      {Format::kFp16, "fp16"},
      {Format::kFp8, "fp8"},
      {Format::kInt8, "int8"},
      {Format::kTf32, "tf32"},
      {Format::kFp32, "fp32"},
  }};
};

template <>
struct EnumNames<bench::cuda::GridSize> {
  using Size = bench::cuda::GridSize;
  static constexpr std::array<std::pair<Size, std::string_view>, 2> kNames = {{
      {Size::kQuick, "quick"},
      {Size::kFull, "full"},
  }};
};

template <>
struct EnumNames<bench::cuda::RowOp> {
  using Op = bench::cuda::RowOp;
  static constexpr std::array<std::pair<Op, std::string_view>, 7> kNames = {{
      {Op::kCopy, "copy"},
      {Op::kAdd, "add"},
      {Op::kSiluMul, "silu_mul"},
      {Op::kGelu, "gelu"},
      {Op::kRmsNorm, "rmsnorm"},
      {Op::kSoftmax, "softmax"},
      {Op::kQuantiseFp8, "static_quant_bf16_to_fp8"},
  }};
};

template <>
struct EnumNames<bench::cuda::HostOp> {
  using Op = bench::cuda::HostOp;
  static constexpr std::array<std::pair<Op, std::string_view>, 5> kNames = {{
      {Op::kLaunchEager, "launch_eager"},
      {Op::kLaunchGraphNode, "launch_graph_node"},
      {Op::kLaunchGraph, "launch_graph"},
      {Op::kHostToDevice, "copy_host_to_device"},
      {Op::kDeviceToHost, "copy_device_to_host"},
  }};
};

template <>
struct EnumNames<bench::cuda::Collective> {
  using Op = bench::cuda::Collective;
  static constexpr std::array<std::pair<Op, std::string_view>, 4> kNames = {{
      {Op::kAllReduce, "all_reduce"},
      {Op::kAllGather, "all_gather"},
      {Op::kReduceScatter, "reduce_scatter"},
      {Op::kAllToAll, "alltoall"},
  }};
};

}  // namespace roofcast
