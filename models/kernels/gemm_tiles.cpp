// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm_tiles.h"

#include <array>

namespace roofcast {
namespace {

constexpr auto kVectorTiles = std::to_array<GemmTile>({{128, 128},
                                                       {128, 64},
                                                       {64, 128},
                                                       {64, 64},
                                                       {128, 32},
                                                       {32, 128},
                                                       {64, 32},
                                                       {32, 64},
                                                       {32, 32}});

constexpr auto kAmpereTiles = std::to_array<GemmTile>({{256, 128},
                                                       {128, 256},
                                                       {128, 128},
                                                       {256, 64},
                                                       {64, 256},
                                                       {128, 64},
                                                       {64, 128},
                                                       {64, 64},
                                                       {128, 32},
                                                       {32, 128},
                                                       {64, 32},
                                                       {32, 64},
                                                       {64, 16},
                                                       {16, 64}});

constexpr auto kHopperTiles = std::to_array<GemmTile>({{256, 128}, {128, 256}, {128, 192},
                                                       {192, 128}, {128, 128}, {256, 64},
                                                       {64, 256},  {64, 192},  {192, 64},
                                                       {128, 64},  {64, 128},  {64, 64},
                                                       {128, 32},  {32, 128},  {64, 32},
                                                       {32, 64},   {128, 16},  {16, 128},
                                                       {64, 16},   {16, 64},   {64, 8},
                                                       {8, 64}});

constexpr auto kBlackwellTiles = std::to_array<GemmTile>(
    {{256, 256, 2}, {256, 192, 2}, {192, 256, 2}, {256, 128, 2}, {128, 256, 2}, {256, 64, 2},
     {64, 256, 2},  {256, 32, 2},  {32, 256, 2},  {128, 256},    {256, 128},    {128, 192},
     {192, 128},    {128, 128},    {128, 64},     {64, 128},     {128, 32},     {32, 128},
     {128, 16},     {16, 128},     {128, 8},      {8, 128},      {64, 64},      {64, 32},
     {32, 64}});

constexpr auto kSplits = std::to_array<std::int64_t>({1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32});

}  // namespace

std::span<const GemmTile> TilesOf(GemmTiles tiles) {
  switch (tiles) {
    case GemmTiles::kVector:
      return kVectorTiles;
    case GemmTiles::kHopper:
      return kHopperTiles;
    case GemmTiles::kBlackwell:
      return kBlackwellTiles;
    default:
      return kAmpereTiles;
  }
}

GemmTiles TilesOf(const Device& device, DType math) {
  if (!device.peak.contains(math)) return GemmTiles::kVector;
  if (device.architecture == "hopper") return GemmTiles::kHopper;
  // Workstation cards of that generation have the matrix units of the ones before.
  const bool server = device.memory.technology.starts_with("HBM");
  if (device.architecture == "blackwell" && server) return GemmTiles::kBlackwell;
  return GemmTiles::kAmpere;
}

std::span<const std::int64_t> SplitsOfK() {
  return kSplits;
}

}  // namespace roofcast
