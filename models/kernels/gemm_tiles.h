// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.h"
#include "hardware/device.h"

namespace roofcast {

inline constexpr std::int64_t kAnySize = std::int64_t{1} << 62U;

// The part of a product that one block computes; its k loop runs over all of k, or over one of the
// parts that k is split into. Sizes outside its limits never get it.
struct GemmTile {
  std::int64_t rows = 0;     // of m
  std::int64_t columns = 0;  // of n
  std::int64_t units = 1;    // SMs that work on it together (Blackwell's pairs)
  std::int64_t least_m = 0;
  std::int64_t most_m = kAnySize;
  std::int64_t least_n = 0;
  std::int64_t most_n = kAnySize;
};

// What a library offers. Those of an architecture are what cuBLAS picks from, in both orientations;
// the others are the rules of one framework's own kernels.
enum class GemmTiles : std::int64_t {
  kOfArchitecture = 0,
  kVector = 1,      // SGEMM on vector units, as the kernels of cuBLAS are called
  kAmpere = 2,      // mma: also Volta, Turing, Ada; and the matrix cores of CDNA
  kHopper = 3,      // wgmma, down to 8 rows
  kBlackwell = 4,   // tcgen05, with pairs of SMs
  kVllmHopper = 5,  // CUTLASS in fp8, by m and n
  kSglangHopper = 6,
};
std::span<const GemmTile> TilesOf(GemmTiles tiles);
// What kOfArchitecture means for products of that format.
GemmTiles TilesOf(const Device& device, DType math);

// Whether a library tries the tile for an output of m x n: within its limits, and not much larger
// than the output.
bool IsOffered(const GemmTile& tile, std::int64_t m, std::int64_t n);

// Parts that k may be split into, growing.
std::span<const std::int64_t> SplitsOfK();

}  // namespace roofcast
