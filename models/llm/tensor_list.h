// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/llm/tensors.h"

// Collects the tensors of a layer; the pieces below each list one part of it.
namespace roofcast::internal {

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

void ListAttention(const AttentionLayer& attention, std::int64_t hidden, TensorList& list);
void ListRecurrent(const RecurrentLayer& recurrent, std::int64_t hidden, TensorList& list);
void ListFfn(const FfnLayer& ffn, std::int64_t hidden, TensorList& list);

// The correction that balances the experts of DeepSeek-V3, kept in fp32.
inline constexpr std::string_view kRouterCorrection = "router_correction";
// The weights of the indexer's heads, which fp8 checkpoints leave wide [deepseek-v32].
inline constexpr std::string_view kIndexWeights = "index_weights";

}  // namespace roofcast::internal
