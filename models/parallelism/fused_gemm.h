// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/kernels/gemm.h"
#include "models/llm/precision.h"
#include "models/llm/tensors.h"

namespace roofcast {

// A fused matrix product as one rank runs it: the tensors that share a gemm word.
struct FusedGemm {
  std::string_view name;
  Part part = Part::kAttention;
  std::int64_t n = 0;
  std::int64_t k = 0;
  DType weights = DType::kBf16;
  double overhead = 1;         // bytes of the weights with their scales over those of their numbers
  bool splits_inputs = false;  // row parallel: ends a sub-layer, its sums are added over tp
  std::int64_t scale_columns = 0;  // inputs of an output that share a scale; 0: all of them
};

std::vector<FusedGemm> FusedGemms(const Llm& llm,
                                  const std::vector<Tensor>& tensors,
                                  const Precision& precision,
                                  std::int64_t tp);

// Narrow products run at the rate of the activations; wide ones (router, head) at the residual's.
DType MathOf(const FusedGemm& gemm, const Precision& precision);

Gemm ForwardGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens);
// The two products of backward: the gradients of the input and of the weights.
Gemm InputGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens);
Gemm WeightGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens);

}  // namespace roofcast
