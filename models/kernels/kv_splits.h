// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How decode attention cuts the cache of one sequence into pieces that different thread blocks
// (CTAs) work on, so that few sequences still fill a GPU. Engines count in integers, and the steps
// are visible in measured times, so these are the engines' own rules rather than a smooth stand-in.
// With C CTAs before splitting, u units (SMs) of p CTAs each, K keys in steps of b:
namespace roofcast {

enum class SplitRule : std::int64_t {
  // 1. The latent attention of TensorRT-LLM before Hopper.
  kNone = 0,
  // min(ceil(K / b), floor(u p / C)). TensorRT-LLM's kernels for Blackwell (b is two tiles) and its
  // kernel of one query head a CTA.
  kFill = 1,
  // m = floor(H / b) of H keys with those before the window, min(m, round(sqrt(8 m))), and no more
  // than 8 u CTAs in all. XQA, b = 128 [trtllm-xqa].
  kXqa = 2,
  // ceil(n / ceil(1.1 C n / u)) with n = ceil(K / b), at most 128. FlashAttention 3 for sequences
  // of any length, prepare_varlen_num_blocks.
  kBalanced = 3,
  // The fewest pieces whose last wave is at least 85 % as full as the best; 1 if C fills 80 % of
  // u p. FlashAttention 2, num_splits_heuristic.
  kEfficient = 4,
  // Chunks of max(b, ceil(K / floor(u p / C))) keys. FlashInfer's plan of decode
  // [ye2025flashinfer].
  kChunk = 5,
  // min(8, ceil(u max(1, log2(K / 64)) / C)). SGLang's Triton kernel, get_num_kv_splits_triton.
  kLogarithmic = 6
};

struct SplitQuestion {
  std::int64_t keys = 1;      // in the window
  std::int64_t history = 1;   // with those before the window
  std::int64_t blocks = 1;    // CTAs without splitting
  std::int64_t batch = 1;     // sequences among them
  std::int64_t units = 1;     // of the device
  std::int64_t per_unit = 1;  // CTAs that the rule counts on for each of them
  std::int64_t step = 128;    // keys
};

struct KvPieces {
  std::int64_t count = 1;  // of one sequence
  bool merged = false;     // whether a pass over the pieces' results runs, be there one piece
};

// Range: all of the question at least 1.
KvPieces KvSplits(SplitRule rule, const SplitQuestion& q);

}  // namespace roofcast
