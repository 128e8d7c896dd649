// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "models/llm/architecture.h"
#include "models/llm/matrix_format.h"
#include "models/llm/part.h"

// Every weight tensor of a model, derived from the layer table: the one list that parameter
// counts, checkpoint bytes, memory per rank, FLOPs and GEMM shapes are sums and walks of.
namespace roofcast {

// How tensor parallelism splits a tensor.
enum class Shard : std::uint8_t {
  kReplicated,
  kOutputs,     // column parallel: outputs / tp
  kInputs,      // row parallel: inputs / tp, followed by an all-reduce
  kKvOutputs,   // outputs are KV heads: at least one head a rank, replicated beyond
  kVocabulary,  // rows / tp, rounded up
};

// `count` matrices of outputs x inputs (a vector has inputs = 1). Tensors of a layer that carry
// the same `gemm` word are one fused GEMM (q, k and v are "qkv"); "" is not multiplied.
struct Tensor {
  std::string_view name;
  std::string_view gemm;
  Part part = Part::kAttention;
  std::int64_t outputs = 0;
  std::int64_t inputs = 1;
  std::int64_t count = 1;  // experts
  Shard shard = Shard::kReplicated;
  std::int64_t head_size = 1;  // kKvOutputs: outputs of one head
  std::int32_t storage = 0;    // which choice of Quantisation::choices holds for it

  std::int64_t Parameters() const { return count * outputs * inputs; }
  // Of one rank of a tensor-parallel group.
  std::int64_t OutputsOnRank(std::int64_t tp) const;
  std::int64_t InputsOnRank(std::int64_t tp) const;
  std::int64_t ParametersOnRank(std::int64_t tp) const {
    return count * OutputsOnRank(tp) * InputsOnRank(tp);
  }
};

std::vector<Tensor> LayerTensors(const Layer& layer, std::int64_t hidden);
std::vector<Tensor> EmbeddingTensors(const Llm& llm);  // token table, learned positions
// Final norm and LM head. With tied embeddings the head is listed (it is multiplied) with count 0,
// since its weights are the token table's.
std::vector<Tensor> HeadTensors(const Llm& llm);

// One MTP module: its layers, three norms, a projection of 2 hidden to hidden and, where it doesn't
// share those of the backbone, copies of token table and head.
std::vector<Tensor> MtpTensors(const Llm& llm);

// True for the matrices that quantisation schemes narrow: those that are multiplied, without
// router, embedding and LM head.
bool IsQuantisable(const Tensor& tensor);
// How the model's own quantisation stores the tensor, or nullptr where it leaves it as it is.
const MatrixFormat* FormatOf(const Llm& llm, const Tensor& tensor);
bool IsQuantised(const Llm& llm, const Tensor& tensor);
// What the tensor takes in the checkpoint, by number format; the rest below are sums of it.
std::vector<StoredNumbers> StoredNumbersOf(const Llm& llm, const Tensor& tensor);
// Scales of a quantised tensor that count as parameters, all its matrices together.
std::int64_t ScalesOf(const Llm& llm, const Tensor& tensor);
// Bytes of a tensor as the checkpoint stores it, scales included.
Bytes StoredBytes(const Llm& llm, const Tensor& tensor);

}  // namespace roofcast
