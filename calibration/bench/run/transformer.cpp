// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/run/transformer.h"

#include <algorithm>
#include <cstring>

#include "calibration/bench/kernels/number.h"
#include "core/error.h"
#include "core/scalar.h"
#include "models/llm/tensors.h"

namespace roofcast::bench {
namespace {

std::size_t SizeOf(DType dtype) {
  return dtype == DType::kBf16 ? sizeof(Bf16) : sizeof(float);
}

// The layer of those sizes as this runner builds it: anything that the table says beyond is not.
Layer PlainLayer(const Layer& given) {
  Layer layer;
  layer.attention.heads = given.attention.heads;
  layer.attention.kv_heads = given.attention.kv_heads;
  layer.attention.head_dim = given.attention.head_dim;
  layer.attention.value_dim = given.attention.head_dim;
  layer.ffn.width = given.ffn.width;
  return layer;
}

void RequirePlain(const Llm& llm) {
  const bool plain = llm.kinds.size() == 1 && llm.kinds.front() == PlainLayer(llm.kinds.front()) &&
                     llm.causal && llm.learned_positions == 0 && llm.token_types == 0 &&
                     llm.patch_inputs == 0 && !llm.embedding_norm && llm.final_norm &&
                     !llm.final_norm_bias && llm.has_head && !llm.head_bias &&
                     !llm.head_transform && !llm.tied_embeddings && !llm.quantisation;
  if (!plain) {
    throw ArgumentError(llm.name +
                        ": has parts that the benchmark doesn't run; use a Llama-like model "
                        "without biases whose head is not tied");
  }
}

Elementwise PassOver(Bytes traffic) {
  return {traffic, Flops(traffic.value())};
}

}  // namespace

TransformerWeights::TransformerWeights(Llm llm, DType dtype)
    : llm_((RequirePlain(llm), std::move(llm))),
      dtype_(dtype),
      table_(dtype, llm_.vocabulary, llm_.hidden, 1),
      head_(dtype, llm_.vocabulary, llm_.hidden, 2),
      norm_(static_cast<std::size_t>(llm_.hidden) * SizeOf(dtype)) {
  const Layer& layer = llm_.kinds.front();
  const AttentionLayer& attention = layer.attention;
  const std::int64_t inner = attention.heads * attention.head_dim;
  const std::int64_t rows = inner + 2 * attention.kv_heads * attention.head_dim;
  layers_.reserve(llm_.layers.size());
  for (std::uint32_t i = 0; i < llm_.layers.size(); ++i) {
    layers_.push_back({Matrix(dtype, rows, llm_.hidden, 10 + 4 * i),
                       Matrix(dtype, llm_.hidden, inner, 11 + 4 * i),
                       Matrix(dtype, 2 * layer.ffn.width, llm_.hidden, 12 + 4 * i),
                       Matrix(dtype, llm_.hidden, layer.ffn.width, 13 + 4 * i)});
  }
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    std::fill_n(reinterpret_cast<T*>(norm_.data()), llm_.hidden, Narrow<T>(1.0F));
  });
}

std::size_t TransformerWeights::ByteCount() const {
  std::int64_t numbers = 0;
  for (const auto& tensors : {EmbeddingTensors(llm_), HeadTensors(llm_)}) {
    for (const Tensor& tensor : tensors) numbers += tensor.Parameters();
  }
  for (const Tensor& tensor : LayerTensors(llm_.kinds.front(), llm_.hidden)) {
    numbers += llm_.LayerCount() * tensor.Parameters();
  }
  return static_cast<std::size_t>(numbers) * SizeOf(dtype_);
}

TransformerCache::TransformerCache(const TransformerWeights& weights,
                                   std::int64_t batch,
                                   std::int64_t room)
    : batch_(batch), room_(room) {
  const AttentionLayer& attention = weights.llm().kinds.front().attention;
  AttentionShape shape;
  shape.batch = batch;
  shape.kv_heads = attention.kv_heads;
  shape.head_dim = attention.head_dim;
  bytes_ = KvCacheBytes(weights.dtype(), shape, room);
  layers_.reserve(weights.llm().layers.size());
  for (std::size_t i = 0; i < weights.llm().layers.size(); ++i) layers_.emplace_back(2 * bytes_);
}

KvCache TransformerCache::Layer(std::size_t index) {
  std::byte* keys = layers_[index].data();
  return {keys, keys + bytes_, room_};
}

Transformer::Transformer(TransformerWeights& weights, TransformerCache& cache, const Pass& pass)
    : weights_(weights), cache_(cache), pass_(pass), hidden_(weights.llm().hidden) {
  ROOFCAST_CHECK(pass.batch <= cache.batch() && pass.keys <= cache.room() && !pass.training);
  const Layer& layer = weights.llm().kinds.front();
  shape_ = {pass.batch,
            pass.queries,
            pass.keys,
            layer.attention.heads,
            layer.attention.kv_heads,
            layer.attention.head_dim};
  attention_ = std::make_unique<CachedAttention>(weights.dtype(), shape_, cache.room());
  const std::int64_t tokens = pass.Tokens();
  stream_ = Activations(tokens, hidden_);
  update_ = Activations(tokens, hidden_);
  normed_ = Activations(tokens, hidden_);
  qkv_ = Activations(tokens, shape_.RowNumbers());
  heads_ = Activations(tokens, shape_.heads * shape_.head_dim);
  gate_up_ = Activations(tokens, 2 * layer.ffn.width);
  activated_ = Activations(tokens, layer.ffn.width);
  last_ = Activations(pass.batch, hidden_);
  last_update_ = Activations(pass.batch, hidden_);
  logits_ = Activations(pass.batch, weights.llm().vocabulary);
  AddEmbedding();
  for (std::size_t i = 0; i < weights.llm().layers.size(); ++i) AddLayer(i);
  AddHead();
}

Buffer Transformer::Activations(std::int64_t rows, std::int64_t columns) const {
  return Buffer(static_cast<std::size_t>(rows * columns) * SizeOf(weights_.dtype()));
}

void Transformer::Add(std::string_view group,
                      std::string_view name,
                      const Op& op,
                      std::function<void()> run) {
  steps_.push_back({group, name, op, std::move(run)});
}

void Transformer::AddProduct(std::string_view group,
                             std::string_view name,
                             Matrix& weights,
                             std::int64_t n,
                             std::int64_t k,
                             const Buffer& x,
                             Buffer& out,
                             std::int64_t rows) {
  const DType dtype = weights_.dtype();
  const auto found = std::find_if(products_.begin(), products_.end(), [&](const auto& product) {
    return product->m() == rows && product->n() == n && product->k() == k;
  });
  const MatMul* product =
      found != products_.end()
          ? found->get()
          : products_.emplace_back(std::make_unique<MatMul>(dtype, rows, n, k)).get();
  const std::byte* packed = weights.PackedFor(*product);
  const Gemm op{product->m(), product->n(), product->k(), product->dtype(), dtype, dtype, dtype, 1};
  Add(group, name, op, [=, from = x.data(), to = out.data()] { product->Run(from, packed, to); });
}

void Transformer::AddEmbedding() {
  const DType dtype = weights_.dtype();
  Add("embedding",
      "token lookup",
      Embedding{pass_.Tokens(), hidden_, dtype},
      [this, table = weights_.table().Rows()] {
        // The stream begins empty, and what is looked up is the first update to it.
        std::memset(stream_.data(), 0, stream_.size());
        Gather(weights_.dtype(), tokens_, hidden_, table, update_.data());
      });
}

void Transformer::AddLayer(std::size_t index) {
  const DType dtype = weights_.dtype();
  const std::int64_t tokens = pass_.Tokens();
  const std::int64_t width = weights_.llm().kinds.front().ffn.width;
  const std::int64_t inner = shape_.heads * shape_.head_dim;
  TransformerWeights::Matrices& layer = weights_.layers()[index];
  const KvCache cache = cache_.Layer(index);
  const auto norm = [=, this] {
    NormResidual(
        dtype, tokens, hidden_, stream_.data(), update_.data(), weights_.norm(), normed_.data());
  };
  const Op norm_op = PassOver(NormResidualTraffic(dtype, tokens, hidden_));
  Add("attention", "norm and residual", norm_op, norm);
  AddProduct("attention", "qkv", layer.qkv, shape_.RowNumbers(), hidden_, normed_, qkv_, tokens);
  Add("attention",
      "rotary and KV write",
      PassOver(RotateAndCacheTraffic(dtype, shape_)),
      [=, this] { RotateAndCache(dtype, shape_, qkv_.data(), cache); });
  Attention core;
  core.batch = shape_.batch;
  core.queries = shape_.queries;
  core.keys = shape_.keys;
  core.heads = shape_.heads;
  core.kv_heads = shape_.kv_heads;
  core.head_dim = core.value_dim = shape_.head_dim;
  core.math = core.io = core.kv = dtype;
  Add("attention", "attention", core, [=, this] {
    attention_->Run(qkv_.data(), cache, heads_.data());
  });
  AddProduct("attention", "o", layer.output, hidden_, inner, heads_, update_, tokens);
  Add("ffn", "norm and residual", norm_op, norm);
  AddProduct("ffn", "gate_up", layer.gate_up, 2 * width, hidden_, normed_, gate_up_, tokens);
  Add("ffn", "activation", PassOver(GatedActivationTraffic(dtype, tokens, width)), [=, this] {
    GatedActivation(dtype, tokens, width, gate_up_.data(), activated_.data());
  });
  AddProduct("ffn", "down", layer.down, hidden_, width, activated_, update_, tokens);
}

void Transformer::AddHead() {
  const DType dtype = weights_.dtype();
  const std::int64_t rows = pass_.batch;
  const std::int64_t vocabulary = weights_.llm().vocabulary;
  Add("head", "final norm", PassOver(FinalNormTraffic(dtype, rows, hidden_)), [=, this] {
    // Of each sequence the last token alone.
    const std::size_t bytes = static_cast<std::size_t>(hidden_) * SizeOf(dtype);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
      const std::size_t from = ((i + 1) * static_cast<std::size_t>(pass_.queries) - 1) * bytes;
      std::memcpy(last_.data() + i * bytes, stream_.data() + from, bytes);
      std::memcpy(last_update_.data() + i * bytes, update_.data() + from, bytes);
    }
    FinalNorm(
        dtype, rows, hidden_, last_.data(), last_update_.data(), weights_.norm(), normed_.data());
  });
  AddProduct("head", "logits", weights_.head(), vocabulary, hidden_, normed_, logits_, rows);
  Add("head", "sampling", PassOver(ChooseTraffic(dtype, rows, vocabulary)), [=, this] {
    Choose(dtype, rows, vocabulary, logits_.data(), next_);
  });
}

WorkList Transformer::Work() const {
  WorkList work;
  work.reserve(steps_.size());
  for (const Step& step : steps_) work.push_back({step.group, step.name, step.op});
  return work;
}

void Transformer::Run(const std::vector<std::int32_t>& tokens) {
  ROOFCAST_CHECK(static_cast<std::int64_t>(tokens.size()) == pass_.Tokens());
  tokens_ = tokens;
  for (const Step& step : steps_) step.run();
}

std::vector<float> Transformer::Logits() const {
  std::vector<float> logits(static_cast<std::size_t>(pass_.batch * weights_.llm().vocabulary));
  WithFormat(weights_.dtype(), [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    const auto* numbers = reinterpret_cast<const T*>(logits_.data());
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = Widen(numbers[i]);
  });
  return logits;
}

}  // namespace roofcast::bench
