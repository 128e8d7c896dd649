// SPDX-License-Identifier: Apache-2.0
#include "models/llm/precision.h"

#include "core/scalar.h"

namespace roofcast {
namespace {

bool IsWide(DType dtype) {
  return BytesOf(dtype) >= Bytes(2);
}

// The 16-bit format that tensors take outside the quantised matrices.
DType ResidualOf(const Llm& llm) {
  return IsWide(llm.dtype) ? llm.dtype : DType::kBf16;
}

}  // namespace

Precision ServingPrecision(const Llm& llm, const PrecisionChoice& choice) {
  Precision precision;
  precision.residual = ResidualOf(llm);
  precision.weights = llm.dtype;
  precision.activations = precision.residual;
  if (llm.quantisation) {
    precision.weights = llm.quantisation->dtype;
    if (precision.weights == DType::kFp8) precision.activations = DType::kFp8;
  }
  if (choice.weights) {
    precision.weights = *choice.weights;
    // fp8 weights are multiplied in fp8 unless the user says otherwise; narrower ones are widened.
    precision.activations = *choice.weights == DType::kFp8 ? DType::kFp8 : precision.residual;
  }
  if (choice.activations) precision.activations = *choice.activations;
  precision.kv = choice.kv.value_or(precision.residual);
  precision.communication = precision.residual;
  return precision;
}

Precision TrainingPrecision(const Llm& llm, const PrecisionChoice& choice) {
  Precision precision;
  precision.residual = ResidualOf(llm);
  precision.weights = choice.weights.value_or(precision.residual);
  precision.activations = choice.activations.value_or(precision.weights);
  precision.kv = choice.kv.value_or(precision.residual);
  // Gradients are summed over data-parallel ranks in the format they accumulate in.
  precision.communication = precision.gradients;
  return precision;
}

DType WeightDType(const Llm& llm, const Tensor& tensor, const Precision& precision) {
  const bool experts_only = llm.quantisation && llm.quantisation->experts_only;
  // Schemes narrower than 16 bits leave what they don't cover wide.
  const bool covered = IsWide(precision.weights) || IsQuantisable(tensor, experts_only);
  return covered ? precision.weights : precision.residual;
}

Bytes WeightBytes(const Llm& llm,
                  const Tensor& tensor,
                  const Precision& precision,
                  std::int64_t parameters) {
  const double elements = Number(parameters);
  const bool as_stored = llm.quantisation && precision.weights == llm.quantisation->dtype;
  if (as_stored && tensor.Parameters() > 0) {
    return StoredBytes(llm, tensor) * (elements / Number(tensor.Parameters()));
  }
  return elements * BytesOf(WeightDType(llm, tensor, precision));
}

}  // namespace roofcast
