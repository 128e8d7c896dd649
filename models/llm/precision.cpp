// SPDX-License-Identifier: Apache-2.0
#include "models/llm/precision.h"

#include "core/error.h"
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

// A mixture's rows may all have fallen back to another format than it is named for.
DType ChosenDType(const Llm& llm, const WeightChoice& choice) {
  const bool stored =
      choice.recipe != nullptr && llm.quantisation && RecipeOf(llm, choice) == nullptr;
  return stored ? llm.quantisation->Main().dtype : choice.dtype;
}

}  // namespace

Precision ServingPrecision(const Llm& llm, const PrecisionChoice& choice) {
  Precision precision;
  precision.residual = ResidualOf(llm);
  precision.weights = llm.dtype;
  precision.activations = precision.residual;
  if (llm.quantisation) {
    precision.weights = llm.quantisation->Main().dtype;
    if (precision.weights == DType::kFp8) precision.activations = DType::kFp8;
  }
  if (choice.weights) {
    precision.weights = ChosenDType(llm, *choice.weights);
    // fp8 weights are multiplied in fp8 unless the user says otherwise; narrower ones are widened.
    precision.activations = precision.weights == DType::kFp8 ? DType::kFp8 : precision.residual;
  }
  if (choice.activations) precision.activations = *choice.activations;
  const auto shipped = llm.quantisation ? llm.quantisation->kv : std::nullopt;
  precision.kv = choice.kv.value_or(shipped.value_or(precision.residual));
  precision.communication = precision.residual;
  return precision;
}

Precision TrainingPrecision(const Llm& llm, const PrecisionChoice& choice) {
  if (choice.weights && choice.weights->recipe != nullptr) {
    throw ArgumentError("weights=" + std::string(choice.weights->recipe->name) +
                        ": nothing trains in it; use a number format");
  }
  Precision precision;
  precision.residual = ResidualOf(llm);
  precision.weights = choice.weights ? choice.weights->dtype : precision.residual;
  precision.activations = choice.activations.value_or(precision.weights);
  precision.kv = choice.kv.value_or(precision.residual);
  // Gradients are summed over data-parallel ranks in the format they accumulate in.
  precision.communication = precision.gradients;
  return precision;
}

bool IsAsStored(const Llm& llm, const Precision& precision) {
  return llm.quantisation && precision.weights == llm.quantisation->Main().dtype;
}

DType WeightDType(const Llm& llm, const Tensor& tensor, const Precision& precision) {
  if (IsAsStored(llm, precision)) {
    const MatrixFormat* format = FormatOf(llm, tensor);
    return format == nullptr ? precision.residual : format->dtype;
  }
  // Schemes narrower than 16 bits leave what they don't cover wide.
  const bool covered = IsWide(precision.weights) || IsQuantisable(tensor);
  return covered ? precision.weights : precision.residual;
}

Bytes WeightBytes(const Llm& llm,
                  const Tensor& tensor,
                  const Precision& precision,
                  std::int64_t parameters) {
  const double elements = Number(parameters);
  if (IsAsStored(llm, precision) && tensor.Parameters() > 0) {
    return StoredBytes(llm, tensor) * (elements / Number(tensor.Parameters()));
  }
  return elements * BytesOf(WeightDType(llm, tensor, precision));
}

}  // namespace roofcast
