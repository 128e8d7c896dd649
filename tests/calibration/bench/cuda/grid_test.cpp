// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/grid.h"

#include <doctest/doctest.h>

#include <set>
#include <tuple>

namespace roofcast::bench::cuda {
namespace {

constexpr std::array<GridSize, 2> kSizes = {GridSize::kQuick, GridSize::kFull};

template <class Points>
std::vector<AttentionPoint> Joined(const Points& one, const Points& other) {
  std::vector<AttentionPoint> all(one);
  all.insert(all.end(), other.begin(), other.end());
  return all;
}

TEST_CASE("no shape is measured twice, and the full grid holds the quick one's kinds and more") {
  for (const GridSize size : kSizes) {
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> gemms;
    for (const GemmPoint& p : GemmGrid(size)) CHECK(gemms.emplace(p.m, p.n, p.k).second);
    std::set<std::tuple<std::int64_t,
                        std::int64_t,
                        std::int64_t,
                        std::int64_t,
                        std::int64_t,
                        std::int64_t,
                        std::int64_t>>
        attention;
    for (const AttentionPoint& p : Joined(PrefillGrid(size), DecodeGrid(size))) {
      CHECK(attention.emplace(p.batch, p.q_len, p.kv_len, p.heads, p.kv_heads, p.head_dim, p.window)
                .second);
    }
  }
  CHECK(GemmGrid(GridSize::kFull).size() > 4 * GemmGrid(GridSize::kQuick).size());
  CHECK(DecodeGrid(GridSize::kFull).size() > 4 * DecodeGrid(GridSize::kQuick).size());
  CHECK(PrefillGrid(GridSize::kFull).size() > 4 * PrefillGrid(GridSize::kQuick).size());
}

TEST_CASE("the kernels can run every shape of the grids") {
  for (const GridSize size : kSizes) {
    for (const AttentionPoint& p :
         Joined(Joined(PrefillGrid(size), DecodeGrid(size)), VerifyAttentionGrid())) {
      CHECK(p.heads % p.kv_heads == 0);
      CHECK((p.head_dim == 64 || p.head_dim == 128));
      CHECK(p.kv_len >= p.q_len);
      CHECK(p.batch <= 65535);  // blocks along z
    }
    for (const AttentionPoint& p : PrefillGrid(size)) CHECK(p.q_len > 1);
    for (const AttentionPoint& p : DecodeGrid(size)) CHECK(p.q_len == 1);
    for (const RowPoint& p : RowGrid(size)) CHECK(p.cols % 8 == 0);  // 16 bytes at a time
    for (const GemmPoint& p : GemmGrid(size)) {
      CHECK(p.n % 16 == 0);  // fp8 and int8 need it
      CHECK(p.k % 16 == 0);
    }
  }
}

TEST_CASE("collectives divide evenly among any number of GPUs up to eight") {
  for (const std::int64_t bytes : CollectiveGrid(GridSize::kFull)) {
    for (int gpus = 2; gpus <= 8; ++gpus) CHECK(bytes % (16L * gpus) == 0);
  }
}

TEST_CASE("copies are as many as memory holds") {
  const Footprint footprint{100, 30};
  CHECK(CopiesThatFit(footprint, 1000, 5) == 5);
  CHECK(CopiesThatFit(footprint, 170, 5) == 2);
  CHECK(CopiesThatFit(footprint, 130, 5) == 1);
  CHECK(CopiesThatFit(footprint, 129, 5) == 0);
  CHECK(CopiesThatFit(footprint, 50, 5) == 0);
}

TEST_CASE("footprints and traffic count each operand once") {
  const GemmPoint gemm{10, 20, 40};
  CHECK(FootprintOf(gemm, GemmFormat::kBf16).rotated == 1600);
  CHECK(FootprintOf(gemm, GemmFormat::kBf16).fixed == 800 + 400);
  CHECK(FootprintOf(gemm, GemmFormat::kFp8).rotated == 800);
  CHECK(FootprintOf(gemm, GemmFormat::kFp8).fixed == 1200 + 400);
  CHECK(FootprintOf(gemm, GemmFormat::kInt8).fixed == 400 + 800);
  CHECK(FootprintOf(gemm, GemmFormat::kTf32).rotated == 3200);
  CHECK(FootprintOf(AttentionPoint{2, 3, 5, 4, 1, 64, 0}).rotated == 2 * 2 * 5 * 64 * 2);
  CHECK(BytesReadAndWritten({RowOp::kAdd, 2, 8}) == 96);
  CHECK(BytesReadAndWritten({RowOp::kRmsNorm, 2, 8}) == 80);
  CHECK(BytesReadAndWritten({RowOp::kQuantiseFp8, 2, 8}) == 48);
}

}  // namespace
}  // namespace roofcast::bench::cuda
