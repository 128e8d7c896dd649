// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensors.h"

#include "core/error.h"
#include "models/llm/tensor_list.h"

namespace roofcast {
namespace {

using internal::TensorList;

std::int64_t DivideUp(std::int64_t total, std::int64_t parts) {
  return (total + parts - 1) / parts;
}

}  // namespace

std::int64_t Tensor::OutputsOnRank(std::int64_t tp) const {
  ROOFCAST_CHECK(tp >= 1);
  switch (shard) {
    case Shard::kReplicated:
    case Shard::kInputs:
      return outputs;
    case Shard::kOutputs:
    case Shard::kVocabulary:
      return DivideUp(outputs, tp);
    case Shard::kKvOutputs:
      return DivideUp(outputs / head_size, tp) * head_size;
  }
  return outputs;
}

std::int64_t Tensor::InputsOnRank(std::int64_t tp) const {
  ROOFCAST_CHECK(tp >= 1);
  return shard == Shard::kInputs ? DivideUp(inputs, tp) : inputs;
}

std::vector<Tensor> LayerTensors(const Layer& layer, std::int64_t hidden) {
  TensorList list;
  internal::ListAttention(layer.attention, hidden, list);
  internal::ListRecurrent(layer.recurrent, hidden, list);
  internal::ListFfn(layer.ffn, hidden, list);
  list.Vector("norms", Part::kNorm, hidden, Shard::kReplicated, layer.norms);
  if (layer.norm_bias) {
    list.Vector("norm_biases", Part::kNorm, hidden, Shard::kReplicated, layer.norms);
  }
  if (layer.scalars > 0) list.Vector("scalars", Part::kNorm, layer.scalars, Shard::kReplicated);
  return list.Take();
}

std::vector<Tensor> EmbeddingTensors(const Llm& llm) {
  TensorList list;
  if (llm.patch_inputs > 0) {
    constexpr Part kPart = Part::kEmbedding;
    list.Matrix("patches", "patches", kPart, llm.hidden, llm.patch_inputs, Shard::kReplicated);
    list.Vector("patches_bias", kPart, llm.hidden, Shard::kReplicated);
    list.Vector("class_token", kPart, llm.hidden, Shard::kReplicated);
  } else {
    list.Matrix("tokens", "", Part::kEmbedding, llm.vocabulary, llm.hidden, Shard::kVocabulary);
  }
  if (llm.learned_positions > 0) {
    list.Matrix(
        "positions", "", Part::kEmbedding, llm.learned_positions, llm.hidden, Shard::kReplicated);
  }
  if (llm.token_types > 0) {
    list.Matrix(
        "token_types", "", Part::kEmbedding, llm.token_types, llm.hidden, Shard::kReplicated);
  }
  if (llm.embedding_norm) {
    const std::int64_t vectors = llm.final_norm_bias ? 2 : 1;
    list.Vector("embedding_norm", Part::kNorm, llm.hidden, Shard::kReplicated, vectors);
  }
  return list.Take();
}

std::vector<Tensor> HeadTensors(const Llm& llm) {
  TensorList list;
  if (llm.final_norm) {
    list.Vector("final_norm", Part::kNorm, llm.hidden, Shard::kReplicated);
    if (llm.final_norm_bias) {
      list.Vector("final_norm_bias", Part::kNorm, llm.hidden, Shard::kReplicated);
    }
  }
  if (!llm.has_head) return list.Take();
  if (llm.head_transform) {
    const std::int64_t biases = llm.final_norm_bias ? 1 : 0;
    list.Matrix("transform", "transform", Part::kHead, llm.hidden, llm.hidden, Shard::kReplicated);
    list.Vector("transform_norm", Part::kNorm, llm.hidden, Shard::kReplicated, 1 + biases);
    list.Vector("transform_bias", Part::kHead, llm.hidden, Shard::kReplicated, biases);
  }
  list.Matrix("head",
              "head",
              Part::kHead,
              llm.vocabulary,
              llm.hidden,
              Shard::kVocabulary,
              llm.tied_embeddings ? 0 : 1);
  if (llm.head_bias) list.Vector("head_bias", Part::kHead, llm.vocabulary, Shard::kVocabulary);
  return list.Take();
}

bool IsQuantisable(const Tensor& tensor, bool experts_only) {
  if (tensor.gemm.empty() || tensor.name == internal::kIndexWeights) return false;
  switch (tensor.part) {
    case Part::kExperts:
      return true;
    case Part::kAttention:
    case Part::kRecurrent:
    case Part::kFfn:
    case Part::kSharedExperts:
      return !experts_only;
    case Part::kEmbedding:
    case Part::kRouter:
    case Part::kNorm:
    case Part::kHead:
      break;
  }
  return false;
}

bool IsQuantised(const Llm& llm, const Tensor& tensor) {
  return llm.quantisation && IsQuantisable(tensor, llm.quantisation->experts_only);
}

std::int64_t ScalesOf(const Llm& llm, const Tensor& tensor) {
  if (!IsQuantised(llm, tensor)) return 0;
  const auto blocks = [](std::int64_t size, std::int64_t block) {
    return block == 0 ? 1 : DivideUp(size, block);
  };
  return tensor.count * blocks(tensor.outputs, llm.quantisation->block_rows) *
         blocks(tensor.inputs, llm.quantisation->block_columns);
}

Bytes StoredBytes(const Llm& llm, const Tensor& tensor) {
  if (!IsQuantised(llm, tensor)) {
    DType dtype = llm.dtype;
    if (tensor.part == Part::kRouter) dtype = llm.router_dtype.value_or(dtype);
    if (tensor.name == internal::kRouterCorrection) dtype = DType::kFp32;
    return BytesOf(dtype) * tensor.Parameters();
  }
  return BytesOf(llm.quantisation->dtype) * tensor.Parameters() +
         BytesOf(llm.quantisation->scale_dtype) * ScalesOf(llm, tensor);
}

}  // namespace roofcast
