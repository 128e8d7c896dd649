// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "calibration/bench/cuda/kernels/block.h"

namespace roofcast::bench::cuda {

// A number in [-1, 1) that looks random: `seed` and the index decide, on the host as on a GPU.
// Weights of zeros or of one value draw less power and run faster than a model's.
// Source: the finaliser of MurmurHash3 (A. Appleby, public domain).
ROOFCAST_HOST_DEVICE float ExampleNumber(std::uint32_t index, std::uint32_t seed) {
  std::uint32_t h = index * 0x9E3779B9U + seed;
  h = (h ^ (h >> 16U)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
  h ^= h >> 16U;
  return static_cast<float>(h >> 8U) * 0x1p-23F - 1.0F;
}

}  // namespace roofcast::bench::cuda
