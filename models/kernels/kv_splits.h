// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How decode attention cuts the cache of one sequence into pieces that different thread blocks
// (CTAs) work on, so that few sequences still fill a GPU. Engines count in integers, and the steps
// are visible in measured times, so these are their own rules rather than a smooth stand-in.
namespace roofcast {

enum class SplitRule : std::int64_t {
  kNone = 0,        // one CTA for a sequence however long it is
  kFill = 1,        // as many pieces as fill the units, none below a step of keys
  kXqa = 2,         // TensorRT-LLM's XQA: about sqrt(8 keys/128), at most eight CTAs a unit
  kBalanced = 3,    // FlashAttention 3 with sequences of any length: equal blocks a unit
  kEfficient = 4,   // FlashAttention 2: the fewest pieces within 85 % of the fullest last wave
  kChunk = 5,       // FlashInfer: the shortest chunk whose pieces still fit at once
  kLogarithmic = 6  // SGLang's Triton kernel: at most eight, the more the longer
};

struct SplitQuestion {
  std::int64_t keys = 1;      // in the window
  std::int64_t history = 1;   // with those before the window
  std::int64_t blocks = 1;    // CTAs without splitting
  std::int64_t units = 1;     // SMs of the device
  std::int64_t per_unit = 1;  // CTAs that a unit holds at a time
  std::int64_t step = 128;    // keys that the kernel advances by
  std::int64_t batch = 1;
};

struct KvPieces {
  std::int64_t count = 1;  // of one sequence
  bool merged = false;     // whether a pass over the pieces' results runs, be it over one piece
};
KvPieces KvSplits(SplitRule rule, const SplitQuestion& q);

}  // namespace roofcast
