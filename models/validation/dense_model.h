// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/dtype.h"
#include "models/llm/architecture.h"

namespace roofcast {

// The sizes that tables of training runs give of a model.
struct DenseShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t ffn = 0;
  std::int64_t vocabulary = 0;

  // "layers,hidden,heads,kv_heads,ffn,vocab": what rows of one model have in common.
  std::string Key() const;
};

// A decoder as Llama's of these sizes: RMSNorm, rotary positions, grouped attention of
// hidden / heads numbers a head, a gated FFN, no biases. Throws ArgumentError when the sizes
// contradict each other or lie beyond any model.
Llm LlamaLike(const std::string& name, const DenseShape& shape, bool tied_embeddings, DType dtype);

}  // namespace roofcast
