// SPDX-License-Identifier: Apache-2.0
#include "models/validation/dense_model.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace roofcast {
namespace {

constexpr std::int64_t kMostLayers = 2'000;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 24U;  // of what is no layer

}  // namespace

std::string DenseShape::Key() const {
  std::string key = std::to_string(layers);
  for (const std::int64_t size : {hidden, heads, kv_heads, ffn, vocabulary}) {
    key += "," + std::to_string(size);
  }
  return key;
}

Llm LlamaLike(const std::string& name, const DenseShape& shape, bool tied_embeddings, DType dtype) {
  const std::array sizes = {shape.hidden, shape.heads, shape.kv_heads, shape.ffn, shape.vocabulary};
  const bool possible = shape.layers >= 1 && shape.layers <= kMostLayers &&
                        std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) {
                          return size >= 1 && size <= kLargestSize;
                        });
  if (!possible) throw ArgumentError("a size is not that of any model; check the row");
  if (shape.hidden % shape.heads != 0) {
    throw ArgumentError("heads does not divide hidden; check the row");
  }
  if (shape.heads % shape.kv_heads != 0) {
    throw ArgumentError("kv_heads does not divide heads; check the row");
  }
  Llm llm;
  llm.name = name;
  llm.model_type = "llama";
  llm.hidden = shape.hidden;
  llm.vocabulary = shape.vocabulary;
  llm.tied_embeddings = tied_embeddings;
  llm.dtype = dtype;
  Layer layer;
  layer.attention.heads = shape.heads;
  layer.attention.kv_heads = shape.kv_heads;
  layer.attention.head_dim = shape.hidden / shape.heads;
  layer.attention.value_dim = layer.attention.head_dim;
  layer.ffn.width = shape.ffn;
  for (std::int64_t i = 0; i < shape.layers; ++i) llm.Append(layer);
  return llm;
}

}  // namespace roofcast
