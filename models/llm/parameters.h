// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/quantity.h"
#include "models/llm/architecture.h"

namespace roofcast {

// Parameter counts by their published definitions; sums over models/llm/tensors.h.
struct ParameterCounts {
  std::int64_t total = 0;  // text backbone without MTP
  std::map<std::string, std::int64_t> by_part;
  std::map<std::string, std::int64_t> extra;  // MTP, vision, scales, ...
  std::int64_t checkpoint_total = 0;          // total + extra
  // Per token: experts count experts_per_token of experts. Two definitions are in use.
  std::int64_t active_with_embeddings = 0;
  std::int64_t active_without_input_embedding = 0;
  Bytes checkpoint_bytes;  // as stored, extras included
  // Numbers of the checkpoint by the number format that they lie in, named as safetensors does:
  // what the Hub shows. Two 4-bit numbers are one U8, eight in a word one I32; scales count.
  std::map<std::string, std::int64_t> by_dtype;
};
ParameterCounts CountParameters(const Llm& llm);

// KV cache of one token (all layers, all heads, unsharded); encoders keep none. Layers whose state
// doesn't grow past a window count as full here; see models/memory/kv_cache.h for policies.
Bytes KvBytesPerToken(const Llm& llm, DType dtype);

// Forward FLOPs of one token's matrix products (multiply + add = 2), attention scores excluded.
Flops MatmulFlopsPerToken(const Llm& llm);
// The same by part: "attention", "experts", "head", ...
std::map<std::string, Flops> MatmulFlopsByPart(const Llm& llm);

}  // namespace roofcast
