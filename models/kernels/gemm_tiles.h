// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "hardware/device.h"

namespace roofcast {

// The part of a product that one block computes; its k loop runs over all of k, or over one of the
// parts that k is split into.
struct GemmTile {
  std::int64_t rows = 0;     // of m
  std::int64_t columns = 0;  // of n
  std::int64_t units = 1;    // SMs that work on it together (Blackwell's pairs)
};

// What the libraries of an architecture offer, in both orientations.
enum class GemmTiles : std::int64_t {
  kOfArchitecture = 0,
  kVector = 1,     // SGEMM on vector units, as the kernels of cuBLAS are called
  kAmpere = 2,     // mma: also Volta, Turing, Ada; and the matrix cores of CDNA
  kHopper = 3,     // wgmma, up to 8 rows
  kBlackwell = 4,  // tcgen05, with pairs of SMs
};
std::span<const GemmTile> TilesOf(GemmTiles tiles);
// What kOfArchitecture means for products of that format.
GemmTiles TilesOf(const Device& device, DType math);

// Parts that k may be split into.
std::span<const std::int64_t> SplitsOfK();

}  // namespace roofcast
