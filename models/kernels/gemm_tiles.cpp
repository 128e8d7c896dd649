// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm_tiles.h"

#include <algorithm>
#include <array>

namespace roofcast {
namespace {

// clang-format off
constexpr auto kVectorTiles = std::to_array<GemmTile>({
    {128, 128}, {128, 64}, {64, 128}, {64, 64}, {128, 32}, {32, 128}, {64, 32}, {32, 64}, {32, 32}});

constexpr auto kAmpereTiles = std::to_array<GemmTile>({
    {256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128},
    {64, 64}, {128, 32}, {32, 128}, {64, 32}, {32, 64}, {64, 16}, {16, 64}});

constexpr auto kHopperTiles = std::to_array<GemmTile>({
    {256, 128}, {128, 256}, {128, 192}, {192, 128}, {128, 128}, {256, 64}, {64, 256}, {64, 192},
    {192, 64}, {128, 64}, {64, 128}, {64, 64}, {128, 32}, {32, 128}, {64, 32}, {32, 64},
    {128, 16}, {16, 128}, {64, 16}, {16, 64}, {64, 8}, {8, 64}});

constexpr auto kBlackwellTiles = std::to_array<GemmTile>({
    {256, 256, 2}, {256, 192, 2}, {192, 256, 2}, {256, 128, 2}, {128, 256, 2}, {256, 64, 2},
    {64, 256, 2}, {256, 32, 2}, {32, 256, 2}, {128, 256}, {256, 128}, {128, 192}, {192, 128},
    {128, 128}, {128, 64}, {64, 128}, {128, 32}, {32, 128}, {128, 16}, {16, 128}, {128, 8},
    {8, 128}, {64, 64}, {64, 32}, {32, 64}});

// cutlass_gemm_sm90_fp8_dispatch of vLLM; 64 outputs of n x 16 of m where both are swapped.
constexpr auto kVllmHopperTiles = std::to_array<GemmTile>({
    {16, 64, 1, 0, 16}, {16, 64, 1, 17, 64, 0, 1280}, {64, 64, 1, 17, 64, 1281},
    {64, 128, 1, 65, 128}, {128, 128, 1, 129}, {256, 128, 1, 8192}});

// sm90_fp8_dispatch_shape of sgl-kernel.
constexpr auto kSglangHopperTiles = std::to_array<GemmTile>({{64, 64, 1, 0, 256}, {128, 128, 1, 257}});
// clang-format on

constexpr auto kSplits = std::to_array<std::int64_t>({1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32});

// Rows or columns are padded to the smallest tile that matrix units take.
std::int64_t Padded(std::int64_t size) {
  constexpr std::int64_t kLeast = 16;
  return std::max(kLeast, (size + kLeast - 1) / kLeast * kLeast);
}

}  // namespace

std::span<const GemmTile> TilesOf(GemmTiles tiles) {
  switch (tiles) {
    case GemmTiles::kVector:
      return kVectorTiles;
    case GemmTiles::kHopper:
      return kHopperTiles;
    case GemmTiles::kBlackwell:
      return kBlackwellTiles;
    case GemmTiles::kVllmHopper:
      return kVllmHopperTiles;
    case GemmTiles::kSglangHopper:
      return kSglangHopperTiles;
    case GemmTiles::kOfArchitecture:
    case GemmTiles::kAmpere:
      break;
  }
  return kAmpereTiles;
}

GemmTiles TilesOf(const Device& device, DType math) {
  if (!device.peak.contains(math)) return GemmTiles::kVector;
  if (device.architecture == "hopper") return GemmTiles::kHopper;
  // Workstation cards of that generation have the matrix units of the ones before.
  const bool server = device.memory.technology.starts_with("HBM");
  if (device.architecture == "blackwell" && server) return GemmTiles::kBlackwell;
  return GemmTiles::kAmpere;
}

bool IsOffered(const GemmTile& tile, std::int64_t m, std::int64_t n) {
  if (m < tile.least_m || m > tile.most_m || n < tile.least_n || n > tile.most_n) return false;
  const bool by_rule = tile.least_m > 0 || tile.most_m < kAnySize;
  return by_rule || (tile.rows <= 2 * Padded(m) && tile.columns <= 4 * Padded(n));
}

std::span<const std::int64_t> SplitsOfK() {
  return kSplits;
}

}  // namespace roofcast
