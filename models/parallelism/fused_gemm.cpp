// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/fused_gemm.h"

#include <algorithm>

#include "core/scalar.h"

namespace roofcast {

namespace {

std::int64_t ScaleColumns(const Llm& llm, const Tensor& tensor, const Precision& precision) {
  if (!IsAsStored(llm, precision)) return 0;
  const MatrixFormat* format = FormatOf(llm, tensor);
  return format == nullptr ? 0 : format->block_columns;
}

// A product whose input comes as the residual stream has it and is narrowed first.
Gemm Product(const FusedGemm& gemm,
             const Precision& precision,
             std::int64_t m,
             std::int64_t n,
             std::int64_t k) {
  const DType math = MathOf(gemm, precision);
  Gemm op = {m, n, k, math, math, gemm.weights, precision.residual, gemm.overhead};
  op.scale_columns = gemm.scale_columns;
  op.quantises_input = BytesOf(math) < BytesOf(precision.residual);
  return op;
}

}  // namespace

std::vector<FusedGemm> FusedGemms(const Llm& llm,
                                  const std::vector<Tensor>& tensors,
                                  const Precision& precision,
                                  std::int64_t tp) {
  std::vector<FusedGemm> fused;
  std::vector<Bytes> bytes;  // of each
  for (const Tensor& tensor : tensors) {
    if (tensor.gemm.empty()) continue;
    const auto same = std::find_if(fused.begin(), fused.end(), [&](const FusedGemm& gemm) {
      return gemm.name == tensor.gemm && gemm.part == tensor.part;
    });
    const Bytes weights =
        WeightBytes(llm, tensor, precision, tensor.OutputsOnRank(tp) * tensor.InputsOnRank(tp));
    if (same != fused.end()) {
      same->n += tensor.OutputsOnRank(tp);
      bytes[static_cast<std::size_t>(same - fused.begin())] += weights;
    } else {
      bytes.push_back(weights);
      fused.push_back({tensor.gemm,
                       tensor.part,
                       tensor.OutputsOnRank(tp),
                       tensor.InputsOnRank(tp),
                       WeightDType(llm, tensor, precision),
                       1,
                       tensor.shard == Shard::kInputs,
                       ScaleColumns(llm, tensor, precision)});
    }
  }
  for (std::size_t i = 0; i < fused.size(); ++i) {
    FusedGemm& gemm = fused[i];
    gemm.overhead = bytes[i] / (Number(gemm.n) * Number(gemm.k) * BytesOf(gemm.weights));
  }
  return fused;
}

DType MathOf(const FusedGemm& gemm, const Precision& precision) {
  const bool narrow = gemm.weights == precision.weights || BytesOf(gemm.weights) < Bytes(2);
  return narrow ? precision.activations : precision.residual;
}

Gemm ForwardGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  return Product(gemm, precision, tokens, gemm.n, gemm.k);
}

Gemm InputGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  return Product(gemm, precision, tokens, gemm.k, gemm.n);
}

Gemm WeightGradientGemm(const FusedGemm& gemm, const Precision& precision, std::int64_t tokens) {
  const DType math = MathOf(gemm, precision);
  return {gemm.n, gemm.k, tokens, math, math, math, precision.gradients};
}

}  // namespace roofcast
