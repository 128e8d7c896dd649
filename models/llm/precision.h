// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/dtype.h"
#include "core/fields.h"
#include "models/llm/architecture.h"
#include "models/llm/tensors.h"
#include "models/llm/weight_recipe.h"

namespace roofcast {

// The number format of each kind of data.
struct Precision {
  DType weights = DType::kBf16;      // as multiplied from memory
  DType activations = DType::kBf16;  // inputs of matrix products, so the rate they run at
  DType residual = DType::kBf16;     // what flows between operators
  DType kv = DType::kBf16;
  DType gradients = DType::kFp32;      // the accumulation buffer of training
  DType optimizer = DType::kFp32;      // master weights and both moments
  DType communication = DType::kBf16;  // gradients on the wire

  template <class V>
  static void Fields(V& v) {
    v("weights", &Precision::weights, "weights as stored on the device");
    v("activations", &Precision::activations, "inputs of matrix products; sets their rate");
    v("residual", &Precision::residual, "what flows between operators");
    v("kv", &Precision::kv, "KV cache");
    v("gradients", &Precision::gradients, "gradient accumulation buffer");
    v("optimizer", &Precision::optimizer, "master weights and moments, each");
    v("communication", &Precision::communication, "gradients on the wire");
  }
  friend bool operator==(const Precision&, const Precision&) = default;
};

// What the user overrides; the rest follows from the model.
struct PrecisionChoice {
  std::optional<WeightChoice> weights;  // WithWeights() has stored the model so before
  std::optional<DType> activations;
  std::optional<DType> kv;
};

// The config's quantization, else its torch dtype; KV in the activation dtype of the model, except
// where the checkpoint comes with scales for a narrower one. fp8 checkpoints multiply in fp8, other
// quantised ones widen the weights to the torch dtype first.
Precision ServingPrecision(const Llm& llm, const PrecisionChoice& choice);
// Mixed precision as Megatron-LM and most trainers run it: 16-bit weights, fp32 gradients and
// optimizer [korthikanti2022].
Precision TrainingPrecision(const Llm& llm, const PrecisionChoice& choice);

// Whether the weights lie on the device as the checkpoint stores them.
bool IsAsStored(const Llm& llm, const Precision& precision);
// What the elements of a weight tensor are stored in. Of weights as stored, what the checkpoint
// says; else matrices of the layers in `precision.weights`, and everything that quantisation leaves
// alone (token table, head, router, norms) in the wider residual format.
DType WeightDType(const Llm& llm, const Tensor& tensor, const Precision& precision);
// Bytes of `parameters` elements of a tensor, with the block scales of a quantised checkpoint.
Bytes WeightBytes(const Llm& llm,
                  const Tensor& tensor,
                  const Precision& precision,
                  std::int64_t parameters);

}  // namespace roofcast
