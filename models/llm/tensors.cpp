// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensors.h"

#include <algorithm>

#include "core/error.h"

namespace roofcast {
namespace {

std::int64_t DivideUp(std::int64_t total, std::int64_t parts) {
  return (total + parts - 1) / parts;
}

constexpr std::string_view kCorrection = "router_correction";

class TensorList {
 public:
  void Matrix(std::string_view name,
              std::string_view gemm,
              Part part,
              std::int64_t outputs,
              std::int64_t inputs,
              Shard shard,
              std::int64_t count = 1) {
    tensors_.push_back({name, gemm, part, outputs, inputs, count, shard, 1});
  }
  void Vector(
      std::string_view name, Part part, std::int64_t size, Shard shard, std::int64_t count = 1) {
    tensors_.push_back({name, "", part, size, 1, count, shard, 1});
  }
  // The last tensor's outputs are KV heads of this size.
  void HeadSize(std::int64_t size) { tensors_.back().head_size = size; }
  std::vector<Tensor> Take() { return std::move(tensors_); }

 private:
  std::vector<Tensor> tensors_;
};

void ListGrouped(const AttentionLayer& a, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kAttention;
  const std::int64_t queries = a.heads * a.head_dim;
  const std::int64_t keys = a.kv_heads * a.head_dim;
  const std::int64_t values = a.kv_heads * a.value_dim;
  list.Matrix("q", "qkv", kPart, queries, hidden, Shard::kOutputs);
  list.Matrix("k", "qkv", kPart, keys, hidden, Shard::kKvOutputs);
  list.HeadSize(a.head_dim);
  list.Matrix("v", "qkv", kPart, values, hidden, Shard::kKvOutputs);
  list.HeadSize(a.value_dim);
  list.Matrix("o", "o", kPart, hidden, a.heads * a.value_dim, Shard::kInputs);
  if (a.qkv_bias) {
    list.Vector("q_bias", kPart, queries, Shard::kOutputs);
    list.Vector("k_bias", kPart, keys, Shard::kKvOutputs);
    list.HeadSize(a.head_dim);
    list.Vector("v_bias", kPart, values, Shard::kKvOutputs);
    list.HeadSize(a.value_dim);
  }
  if (a.query_key_norm) {
    list.Vector("q_norm", Part::kNorm, a.head_dim, Shard::kReplicated);
    list.Vector("k_norm", Part::kNorm, a.head_dim, Shard::kReplicated);
  }
  if (a.sinks) list.Vector("sinks", kPart, a.heads, Shard::kOutputs);
}

// Each rank keeps the whole latent, so only what works on heads is split.
void ListLatent(const AttentionLayer& a, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kAttention;
  const std::int64_t queries = a.heads * a.head_dim;
  const std::int64_t latent = a.latent_rank + a.rotary_dim;
  const std::int64_t unrotated = a.head_dim - a.rotary_dim;
  if (a.query_rank > 0) {
    list.Matrix("q_a", "qkv_a", kPart, a.query_rank, hidden, Shard::kReplicated);
    list.Vector("q_a_norm", Part::kNorm, a.query_rank, Shard::kReplicated);
    list.Matrix("q_b", "q_b", kPart, queries, a.query_rank, Shard::kOutputs);
  } else {
    list.Matrix("q", "q", kPart, queries, hidden, Shard::kOutputs);
  }
  const std::string_view compress = a.query_rank > 0 ? "qkv_a" : "kv_a";
  list.Matrix("kv_a", compress, kPart, latent, hidden, Shard::kReplicated);
  list.Vector("kv_a_norm", Part::kNorm, a.latent_rank, Shard::kReplicated);
  list.Matrix(
      "kv_b", "kv_b", kPart, a.heads * (unrotated + a.value_dim), a.latent_rank, Shard::kOutputs);
  list.Matrix("o", "o", kPart, hidden, a.heads * a.value_dim, Shard::kInputs);
  if (a.qkv_bias) {
    if (a.query_rank > 0) list.Vector("q_a_bias", kPart, a.query_rank, Shard::kReplicated);
    list.Vector("kv_a_bias", kPart, latent, Shard::kReplicated);
  }
}

void ListDense(const FfnLayer& f, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kFfn;
  if (f.gated) list.Matrix("gate", "gate_up", kPart, f.width, hidden, Shard::kOutputs);
  list.Matrix("up", "gate_up", kPart, f.width, hidden, Shard::kOutputs);
  list.Matrix("down", "down", kPart, hidden, f.width, Shard::kInputs);
  if (f.bias) {
    if (f.gated) list.Vector("gate_bias", kPart, f.width, Shard::kOutputs);
    list.Vector("up_bias", kPart, f.width, Shard::kOutputs);
    list.Vector("down_bias", kPart, hidden, Shard::kReplicated);
  }
}

void ListExperts(const FfnLayer& f, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kExperts;
  list.Matrix("router", "router", Part::kRouter, f.experts, hidden, Shard::kReplicated);
  if (f.router_bias) {
    // Of a router that is a linear layer with bias, as its experts are; else it is the correction
    // that DeepSeek-V3 balances experts with, which is stored in fp32.
    list.Vector(f.bias ? "router_bias" : kCorrection, Part::kRouter, f.experts, Shard::kReplicated);
  }
  const auto matrix = [&](std::string_view name,
                          std::string_view gemm,
                          std::int64_t outputs,
                          std::int64_t inputs,
                          Shard shard) {
    list.Matrix(name, gemm, kPart, outputs, inputs, shard, f.experts);
  };
  if (f.gated) matrix("expert_gate", "expert_gate_up", f.width, hidden, Shard::kOutputs);
  matrix("expert_up", "expert_gate_up", f.width, hidden, Shard::kOutputs);
  matrix("expert_down", "expert_down", hidden, f.width, Shard::kInputs);
  if (f.bias) {
    if (f.gated) list.Vector("expert_gate_bias", kPart, f.width, Shard::kOutputs, f.experts);
    list.Vector("expert_up_bias", kPart, f.width, Shard::kOutputs, f.experts);
    list.Vector("expert_down_bias", kPart, hidden, Shard::kReplicated, f.experts);
  }
}

void ListSharedExperts(const FfnLayer& f, std::int64_t hidden, TensorList& list) {
  constexpr Part kPart = Part::kSharedExperts;
  if (f.gated) {
    list.Matrix("shared_gate", "shared_gate_up", kPart, f.shared_width, hidden, Shard::kOutputs);
  }
  list.Matrix("shared_up", "shared_gate_up", kPart, f.shared_width, hidden, Shard::kOutputs);
  list.Matrix("shared_down", "shared_down", kPart, hidden, f.shared_width, Shard::kInputs);
  if (f.shared_gate) {
    list.Matrix("shared_router", "shared_router", Part::kRouter, 1, hidden, Shard::kReplicated);
  }
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
  const AttentionLayer& attention = layer.attention;
  if (attention.kind == AttentionKind::kLatent) {
    ListLatent(attention, hidden, list);
  } else {
    ListGrouped(attention, hidden, list);
  }
  if (attention.output_bias) {
    list.Vector("o_bias", Part::kAttention, hidden, Shard::kReplicated);
  }
  if (layer.ffn.IsMoe()) {
    ListExperts(layer.ffn, hidden, list);
    if (layer.ffn.shared_width > 0) ListSharedExperts(layer.ffn, hidden, list);
  } else {
    ListDense(layer.ffn, hidden, list);
  }
  list.Vector("norms", Part::kNorm, hidden, Shard::kReplicated, layer.norms);
  if (layer.norm_bias) {
    list.Vector("norm_biases", Part::kNorm, hidden, Shard::kReplicated, layer.norms);
  }
  return list.Take();
}

std::vector<Tensor> EmbeddingTensors(const Llm& llm) {
  TensorList list;
  list.Matrix("tokens", "", Part::kEmbedding, llm.vocabulary, llm.hidden, Shard::kVocabulary);
  if (llm.learned_positions > 0) {
    list.Matrix(
        "positions", "", Part::kEmbedding, llm.learned_positions, llm.hidden, Shard::kReplicated);
  }
  return list.Take();
}

std::vector<Tensor> HeadTensors(const Llm& llm) {
  TensorList list;
  list.Vector("final_norm", Part::kNorm, llm.hidden, Shard::kReplicated);
  if (llm.final_norm_bias) {
    list.Vector("final_norm_bias", Part::kNorm, llm.hidden, Shard::kReplicated);
  }
  list.Matrix("head",
              "head",
              Part::kHead,
              llm.vocabulary,
              llm.hidden,
              Shard::kVocabulary,
              llm.tied_embeddings ? 0 : 1);
  return list.Take();
}

bool IsQuantisable(const Tensor& tensor, bool experts_only) {
  if (tensor.gemm.empty()) return false;
  switch (tensor.part) {
    case Part::kExperts:
      return true;
    case Part::kAttention:
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
    return BytesOf(tensor.name == kCorrection ? DType::kFp32 : llm.dtype) * tensor.Parameters();
  }
  return BytesOf(llm.quantisation->dtype) * tensor.Parameters() +
         BytesOf(llm.quantisation->scale_dtype) * ScalesOf(llm, tensor);
}

}  // namespace roofcast
