// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/bench/kernels/attention.h"
#include "calibration/bench/kernels/elementwise.h"
#include "calibration/bench/kernels/weights.h"
#include "core/dtype.h"
#include "models/kernels/op_list.h"
#include "models/llm/architecture.h"
#include "models/parallelism/lower.h"

namespace roofcast::bench {

// Weights of a model of the Llama kind: full causal attention with rotation and grouped heads,
// gated feed-forward, RMS norms, no biases, an untied head. They are random.
class TransformerWeights {
 public:
  // Throws ArgumentError for a model that is built otherwise.
  TransformerWeights(Llm llm, DType dtype);

  struct Matrices {
    Matrix qkv;
    Matrix output;
    Matrix gate_up;
    Matrix down;
  };
  const Llm& llm() const { return llm_; }
  DType dtype() const { return dtype_; }
  std::vector<Matrices>& layers() { return layers_; }
  Matrix& table() { return table_; }
  Matrix& head() { return head_; }
  // What every norm multiplies by: ones.
  const std::byte* norm() const { return norm_.data(); }
  // Of one copy, as the layer table counts them.
  std::size_t ByteCount() const;

 private:
  Llm llm_;
  DType dtype_;
  std::vector<Matrices> layers_;
  Matrix table_;
  Matrix head_;
  Buffer norm_;
};

// The KV cache of all layers, with room for so many tokens in each of so many sequences.
class TransformerCache {
 public:
  TransformerCache(const TransformerWeights& weights, std::int64_t batch, std::int64_t room);
  KvCache Layer(std::size_t index);
  std::int64_t batch() const { return batch_; }
  std::int64_t room() const { return room_; }

 private:
  std::int64_t batch_;
  std::int64_t room_;
  std::size_t bytes_;  // of the keys of a layer
  std::vector<Buffer> layers_;
};

// One pass of a model over `pass.batch` sequences: prefill of whole prompts, or decode of one token
// each after those that the cache holds. A real forward pass, on the kernels that the calibration
// measures, in the order of `Work()`.
class Transformer {
 public:
  // Both must outlive it. Packs the weights.
  Transformer(TransformerWeights& weights, TransformerCache& cache, const Pass& pass);

  // What the steps below are, from the sizes that the kernels were made with.
  WorkList Work() const;
  // One token for each of pass.batch * pass.queries places. Afterwards `logits` holds those of each
  // sequence's last token and `next` the likeliest.
  void Run(const std::vector<std::int32_t>& tokens);
  // Row after row, in fp32.
  std::vector<float> Logits() const;
  const std::vector<Choice>& next() const { return next_; }

 private:
  struct Step {
    std::string_view group;
    std::string_view name;
    Op op;
    std::function<void()> run;
  };
  void Add(std::string_view group, std::string_view name, const Op& op, std::function<void()> run);
  void AddProduct(std::string_view group,
                  std::string_view name,
                  Matrix& weights,
                  std::int64_t n,
                  std::int64_t k,
                  const Buffer& x,
                  Buffer& out,
                  std::int64_t rows);
  void AddEmbedding();
  void AddLayer(std::size_t index);
  void AddHead();
  // Room for one number for every token and column.
  Buffer Activations(std::int64_t rows, std::int64_t columns) const;

  TransformerWeights& weights_;
  TransformerCache& cache_;
  Pass pass_;
  AttentionShape shape_;
  std::int64_t hidden_;
  std::vector<std::unique_ptr<MatMul>> products_;  // equal ones are shared
  std::unique_ptr<CachedAttention> attention_;
  Buffer stream_, update_, normed_, qkv_, heads_, gate_up_, activated_, last_, last_update_,
      logits_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> tokens_;
  std::vector<Choice> next_;
};

}  // namespace roofcast::bench
