// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/dtype.h"
#include "core/quantity.h"

// Passes over activations in fp32 or bf16, split over the threads by rows. Each says what it reads
// and writes: its inputs and outputs once, as the operators of models/kernels count it.
namespace roofcast::bench {

// stream += update; normed = stream / rms(stream) * scale, by rows of `columns`.
void NormResidual(DType dtype,
                  std::int64_t rows,
                  std::int64_t columns,
                  void* stream,
                  const void* update,
                  const void* scale,
                  void* normed);
Bytes NormResidualTraffic(DType dtype, std::int64_t rows, std::int64_t columns);

// The same without writing the stream: the last norm.
void FinalNorm(DType dtype,
               std::int64_t rows,
               std::int64_t columns,
               const void* stream,
               const void* update,
               const void* scale,
               void* normed);
Bytes FinalNormTraffic(DType dtype, std::int64_t rows, std::int64_t columns);

// out = silu(gate) * up; a row of `gate_up` is its gates and then its ups.
void GatedActivation(
    DType dtype, std::int64_t rows, std::int64_t width, const void* gate_up, void* out);
Bytes GatedActivationTraffic(DType dtype, std::int64_t rows, std::int64_t width);

// out = one + other.
void Add(DType dtype,
         std::int64_t rows,
         std::int64_t columns,
         const void* one,
         const void* other,
         void* out);
Bytes AddTraffic(DType dtype, std::int64_t rows, std::int64_t columns);

// Row ids[i] of the table becomes row i of out.
void Gather(DType dtype,
            const std::vector<std::int32_t>& ids,
            std::int64_t columns,
            const void* table,
            void* out);

// The likeliest token of each row of logits and its probability: one pass for the largest, one for
// the sum of the exponentials.
struct Choice {
  std::int32_t token = 0;
  float probability = 0;
};
void Choose(DType dtype,
            std::int64_t rows,
            std::int64_t columns,
            const void* logits,
            std::vector<Choice>& choices);
Bytes ChooseTraffic(DType dtype, std::int64_t rows, std::int64_t columns);

}  // namespace roofcast::bench
