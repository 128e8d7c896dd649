// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/fused_gemm.h"

#include <algorithm>

namespace roofcast {

std::vector<FusedGemm> FusedGemms(const Llm& llm,
                                  const std::vector<Tensor>& tensors,
                                  const Precision& precision,
                                  std::int64_t tp) {
  std::vector<FusedGemm> fused;
  for (const Tensor& tensor : tensors) {
    if (tensor.gemm.empty()) continue;
    const auto same = std::find_if(fused.begin(), fused.end(), [&](const FusedGemm& gemm) {
      return gemm.name == tensor.gemm && gemm.part == tensor.part;
    });
    if (same != fused.end()) {
      same->n += tensor.OutputsOnRank(tp);
    } else {
      fused.push_back({tensor.gemm,
                       tensor.part,
                       tensor.OutputsOnRank(tp),
                       tensor.InputsOnRank(tp),
                       WeightDType(llm, tensor, precision),
                       tensor.shard == Shard::kInputs});
    }
  }
  return fused;
}

DType MathOf(const FusedGemm& gemm, const Precision& precision) {
  return gemm.weights == precision.weights ? precision.activations : precision.residual;
}

Gemm ForwardGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  const DType math = MathOf(gemm, precision);
  return {tokens, gemm.n, gemm.k, math, math, gemm.weights, precision.residual};
}

Gemm InputGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  const DType math = MathOf(gemm, precision);
  return {tokens, gemm.k, gemm.n, math, math, gemm.weights, precision.residual};
}

Gemm WeightGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  const DType math = MathOf(gemm, precision);
  return {gemm.n, gemm.k, tokens, math, math, math, precision.gradients};
}

}  // namespace roofcast
