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
  std::vector<Tensor> tensors = list.Take();
  for (Tensor& tensor : tensors) tensor.storage = layer.storage;
  return tensors;
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

std::vector<Tensor> MtpTensors(const Llm& llm) {
  std::vector<Tensor> tensors;
  for (const Layer& layer : llm.mtp_layers) {
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) {
      tensors.push_back(tensor);
      tensors.back().storage = llm.mtp_storage;
    }
  }
  const auto add = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t count) {
    tensors.push_back({"", "", Part::kEmbedding, outputs, inputs, count});
  };
  add(llm.vocabulary, llm.hidden, llm.mtp_copies);
  add(llm.hidden, 2 * llm.hidden, 1);
  add(llm.hidden, 1, 3);
  return tensors;
}

bool IsQuantisable(const Tensor& tensor) {
  // The small product that weights the heads of an indexer stays wide [deepseek-v32].
  if (tensor.gemm.empty() || tensor.name == internal::kIndexWeights) return false;
  switch (tensor.part) {
    case Part::kExperts:
    case Part::kAttention:
    case Part::kRecurrent:
    case Part::kFfn:
    case Part::kSharedExperts:
      return true;
    case Part::kEmbedding:
    case Part::kRouter:
    case Part::kNorm:
    case Part::kHead:
      break;
  }
  return false;
}

const MatrixFormat* FormatOf(const Llm& llm, const Tensor& tensor) {
  if (!llm.quantisation) return nullptr;
  return llm.quantisation->FormatOf(tensor.storage, tensor.part, tensor.name);
}

bool IsQuantised(const Llm& llm, const Tensor& tensor) {
  return FormatOf(llm, tensor) != nullptr;
}

std::vector<StoredNumbers> StoredNumbersOf(const Llm& llm, const Tensor& tensor) {
  if (const MatrixFormat* format = FormatOf(llm, tensor)) {
    return StoredNumbersOf(*format, tensor.outputs, tensor.inputs, tensor.count);
  }
  DType dtype = llm.dtype;
  if (tensor.part == Part::kRouter) dtype = llm.router_dtype.value_or(dtype);
  if (tensor.name == internal::kRouterCorrection) dtype = DType::kFp32;
  return StoredNumbersOf(PlainFormat(dtype), tensor.outputs, tensor.inputs, tensor.count);
}

std::int64_t ScalesOf(const Llm& llm, const Tensor& tensor) {
  const MatrixFormat* format = FormatOf(llm, tensor);
  if (format == nullptr || !format->ScalesAreParameters()) return 0;
  std::int64_t scales = 0;
  for (const StoredNumbers& stored : StoredNumbersOf(llm, tensor)) {
    if (stored.beside) scales += stored.numbers;
  }
  return scales;
}

Bytes StoredBytes(const Llm& llm, const Tensor& tensor) {
  Bytes bytes;
  for (const StoredNumbers& stored : StoredNumbersOf(llm, tensor)) bytes += stored.bytes;
  return bytes;
}

}  // namespace roofcast
