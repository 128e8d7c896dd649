// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensor_list.h"

namespace roofcast::internal {
namespace {

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
    list.Vector(
        f.bias ? "router_bias" : kRouterCorrection, Part::kRouter, f.experts, Shard::kReplicated);
  }
  const std::int64_t inner = f.expert_hidden > 0 ? f.expert_hidden : hidden;
  if (f.expert_hidden > 0) {
    constexpr Part kShared = Part::kSharedExperts;
    list.Matrix("latent_in", "latent_in", kShared, inner, hidden, Shard::kReplicated);
    list.Matrix("latent_out", "latent_out", kShared, hidden, inner, Shard::kReplicated);
  }
  const auto matrix = [&](std::string_view name,
                          std::string_view gemm,
                          std::int64_t outputs,
                          std::int64_t inputs,
                          Shard shard) {
    list.Matrix(name, gemm, kPart, outputs, inputs, shard, f.experts);
  };
  if (f.gated) matrix("expert_gate", "expert_gate_up", f.width, inner, Shard::kOutputs);
  matrix("expert_up", "expert_gate_up", f.width, inner, Shard::kOutputs);
  matrix("expert_down", "expert_down", inner, f.width, Shard::kInputs);
  if (f.bias) {
    if (f.gated) list.Vector("expert_gate_bias", kPart, f.width, Shard::kOutputs, f.experts);
    list.Vector("expert_up_bias", kPart, f.width, Shard::kOutputs, f.experts);
    list.Vector("expert_down_bias", kPart, inner, Shard::kReplicated, f.experts);
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

void ListFfn(const FfnLayer& ffn, std::int64_t hidden, TensorList& list) {
  if (ffn.IsNone()) return;
  if (!ffn.IsMoe()) return ListDense(ffn, hidden, list);
  ListExperts(ffn, hidden, list);
  if (ffn.shared_width > 0) ListSharedExperts(ffn, hidden, list);
}

}  // namespace roofcast::internal
