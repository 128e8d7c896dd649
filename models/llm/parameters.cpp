// SPDX-License-Identifier: Apache-2.0
#include "models/llm/parameters.h"

#include <vector>

#include "core/scalar.h"
#include "models/llm/tensors.h"

namespace roofcast {
namespace {

// Calls visit(tensor, times, count) for every tensor of the model; `count` is how many of its
// matrices one token meets.
template <class Visit>
void ForEachTensor(const Llm& llm, Visit visit) {
  for (const Tensor& tensor : EmbeddingTensors(llm)) visit(tensor, 1, tensor.count);
  const auto layers = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    const Layer& layer = llm.kinds[kind];
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) {
      const bool routed = tensor.part == Part::kExperts;
      visit(tensor, layers[kind], routed ? layer.ffn.experts_per_token : tensor.count);
    }
  }
  for (const Tensor& tensor : HeadTensors(llm)) visit(tensor, 1, tensor.count);
}

void AddNumbers(const Llm& llm, const Tensor& tensor, std::int64_t times, ParameterCounts& counts) {
  for (const StoredNumbers& stored : StoredNumbersOf(llm, tensor)) {
    if (stored.numbers > 0) counts.by_dtype[std::string(stored.dtype)] += times * stored.numbers;
  }
}

void CountExtraNumbers(const Llm& llm, ParameterCounts& counts) {
  if (llm.mtp_modules > 0) {
    for (const Tensor& tensor : MtpTensors(llm)) AddNumbers(llm, tensor, llm.mtp_modules, counts);
  }
  for (const auto& [name, bytes] : llm.extra_bytes) {
    const auto found = llm.extra_parameters.find(name);
    if (name == "mtp" || found == llm.extra_parameters.end()) continue;
    // The other extras lie in the dtype of the model, or wide.
    const bool wide = bytes == BytesOf(DType::kFp32) * found->second;
    const DType dtype = wide ? DType::kFp32 : llm.dtype;
    counts.by_dtype[std::string(SafetensorsName(dtype))] += found->second;
  }
}

}  // namespace

ParameterCounts CountParameters(const Llm& llm) {
  ParameterCounts counts;
  std::int64_t tokens = 0;
  ForEachTensor(llm, [&](const Tensor& tensor, std::int64_t times, std::int64_t met) {
    const std::int64_t parameters = times * tensor.Parameters();
    counts.total += parameters;
    counts.by_part[std::string(NameOf(tensor.part))] += parameters;
    counts.active_with_embeddings += times * met * tensor.outputs * tensor.inputs;
    counts.checkpoint_bytes += StoredBytes(llm, tensor) * times;
    AddNumbers(llm, tensor, times, counts);
    if (tensor.part == Part::kEmbedding) tokens += parameters;
  });
  // A tied table is multiplied as the head, so it stays.
  counts.active_without_input_embedding =
      counts.active_with_embeddings - (llm.tied_embeddings ? 0 : tokens);
  counts.extra = llm.extra_parameters;
  counts.checkpoint_total = counts.total;
  for (const auto& [name, parameters] : counts.extra) counts.checkpoint_total += parameters;
  for (const auto& [name, bytes] : llm.extra_bytes) counts.checkpoint_bytes += bytes;
  CountExtraNumbers(llm, counts);
  return counts;
}

Bytes KvBytesPerToken(const Llm& llm, DType dtype) {
  std::int64_t elements = 0;
  if (!llm.causal) return BytesOf(dtype) * elements;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    const AttentionLayer& a = llm.LayerAt(i).attention;
    elements += a.kind == AttentionKind::kLatent ? a.latent_rank + a.rotary_dim
                                                 : a.kv_heads * (a.head_dim + a.value_dim);
  }
  return BytesOf(dtype) * elements;
}

std::map<std::string, Flops> MatmulFlopsByPart(const Llm& llm) {
  std::map<std::string, Flops> by_part;
  ForEachTensor(llm, [&](const Tensor& tensor, std::int64_t times, std::int64_t met) {
    if (tensor.gemm.empty()) return;
    // A tied head is multiplied though it has no weights of its own.
    const std::int64_t matrices = tensor.gemm == "head" ? 1 : met;
    by_part[std::string(NameOf(tensor.part))] +=
        Flops(2.0 * Number(times * matrices) * Number(tensor.outputs) * Number(tensor.inputs));
  });
  return by_part;
}

Flops MatmulFlopsPerToken(const Llm& llm) {
  Flops flops;
  for (const auto& [part, of_part] : MatmulFlopsByPart(llm)) flops += of_part;
  return flops;
}

}  // namespace roofcast
