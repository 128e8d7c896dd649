// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/kernels/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "calibration/bench/kernels/number.h"
#include "calibration/bench/kernels/parallel.h"
#include "core/scalar.h"

namespace roofcast::bench {
namespace {

// Loops that the compiler turns into vector instructions; each exists for both formats because a
// function for several processors can't be a template.
template <class T>
[[gnu::always_inline]] inline void NormRow(
    std::int64_t columns, const T* stream, const T* update, const T* scale, T* sum, T* normed) {
  float squares = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const float value = Widen(stream[i]) + Widen(update[i]);
    if (sum != nullptr) sum[i] = Narrow<T>(value);
    normed[i] = Narrow<T>(value);
    squares += value * value;
  }
  const float factor = 1.0F / std::sqrt(squares / static_cast<float>(columns) + 1e-5F);
  for (std::int64_t i = 0; i < columns; ++i) {
    normed[i] = Narrow<T>(Widen(normed[i]) * factor * Widen(scale[i]));
  }
}

template <class T>
[[gnu::always_inline]] inline void ActivateRow(std::int64_t width, const T* gate_up, T* out) {
  for (std::int64_t i = 0; i < width; ++i) {
    const float gate = Widen(gate_up[i]);
    out[i] = Narrow<T>(gate / (1.0F + std::exp(-gate)) * Widen(gate_up[width + i]));
  }
}

template <class T>
[[gnu::always_inline]] inline void AddRow(std::int64_t columns,
                                          const T* one,
                                          const T* other,
                                          T* out) {
  for (std::int64_t i = 0; i < columns; ++i) out[i] = Narrow<T>(Widen(one[i]) + Widen(other[i]));
}

ROOFCAST_CLONES void Norm(std::int64_t columns,
                          const float* stream,
                          const float* update,
                          const float* scale,
                          float* sum,
                          float* normed) {
  NormRow(columns, stream, update, scale, sum, normed);
}
ROOFCAST_CLONES void Norm(std::int64_t columns,
                          const Bf16* stream,
                          const Bf16* update,
                          const Bf16* scale,
                          Bf16* sum,
                          Bf16* normed) {
  NormRow(columns, stream, update, scale, sum, normed);
}
ROOFCAST_CLONES void Activate(std::int64_t width, const float* gate_up, float* out) {
  ActivateRow(width, gate_up, out);
}
ROOFCAST_CLONES void Activate(std::int64_t width, const Bf16* gate_up, Bf16* out) {
  ActivateRow(width, gate_up, out);
}
ROOFCAST_CLONES void Sum(std::int64_t columns, const float* one, const float* other, float* out) {
  AddRow(columns, one, other, out);
}
ROOFCAST_CLONES void Sum(std::int64_t columns, const Bf16* one, const Bf16* other, Bf16* out) {
  AddRow(columns, one, other, out);
}

template <class T>
[[gnu::always_inline]] inline float HighestOf(std::int64_t columns, const T* numbers) {
  float highest = Widen(numbers[0]);
  for (std::int64_t i = 1; i < columns; ++i) highest = std::max(highest, Widen(numbers[i]));
  return highest;
}
template <class T>
[[gnu::always_inline]] inline float ExponentialsOf(std::int64_t columns,
                                                   const T* numbers,
                                                   float highest) {
  float sum = 0;
  for (std::int64_t i = 0; i < columns; ++i) sum += std::exp(Widen(numbers[i]) - highest);
  return sum;
}
ROOFCAST_CLONES float Highest(std::int64_t columns, const float* numbers) {
  return HighestOf(columns, numbers);
}
ROOFCAST_CLONES float Highest(std::int64_t columns, const Bf16* numbers) {
  return HighestOf(columns, numbers);
}
ROOFCAST_CLONES float SumOfExponentials(std::int64_t columns, const float* numbers, float highest) {
  return ExponentialsOf(columns, numbers, highest);
}
ROOFCAST_CLONES float SumOfExponentials(std::int64_t columns, const Bf16* numbers, float highest) {
  return ExponentialsOf(columns, numbers, highest);
}

template <class T>
T* Row(void* data, std::int64_t row, std::int64_t columns) {
  return static_cast<T*>(data) + row * columns;
}
template <class T>
const T* Row(const void* data, std::int64_t row, std::int64_t columns) {
  return static_cast<const T*>(data) + row * columns;
}

Bytes Tensors(double count, DType dtype, std::int64_t rows, std::int64_t columns) {
  return count * Number(rows) * Number(columns) * BytesOf(dtype);
}

}  // namespace

void NormResidual(DType dtype,
                  std::int64_t rows,
                  std::int64_t columns,
                  void* stream,
                  const void* update,
                  const void* scale,
                  void* normed) {
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(rows, [&](std::int64_t row) {
      T* values = Row<T>(stream, row, columns);
      Norm(columns,
           values,
           Row<T>(update, row, columns),
           static_cast<const T*>(scale),
           values,
           Row<T>(normed, row, columns));
    });
  });
}
Bytes NormResidualTraffic(DType dtype, std::int64_t rows, std::int64_t columns) {
  return Tensors(4, dtype, rows, columns);
}

void FinalNorm(DType dtype,
               std::int64_t rows,
               std::int64_t columns,
               const void* stream,
               const void* update,
               const void* scale,
               void* normed) {
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(rows, [&](std::int64_t row) {
      Norm(columns,
           Row<T>(stream, row, columns),
           Row<T>(update, row, columns),
           static_cast<const T*>(scale),
           static_cast<T*>(nullptr),
           Row<T>(normed, row, columns));
    });
  });
}
Bytes FinalNormTraffic(DType dtype, std::int64_t rows, std::int64_t columns) {
  return Tensors(3, dtype, rows, columns);
}

void GatedActivation(
    DType dtype, std::int64_t rows, std::int64_t width, const void* gate_up, void* out) {
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(rows, [&](std::int64_t row) {
      Activate(width, Row<T>(gate_up, row, 2 * width), Row<T>(out, row, width));
    });
  });
}
Bytes GatedActivationTraffic(DType dtype, std::int64_t rows, std::int64_t width) {
  return Tensors(3, dtype, rows, width);
}

void Add(DType dtype,
         std::int64_t rows,
         std::int64_t columns,
         const void* one,
         const void* other,
         void* out) {
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(rows, [&](std::int64_t row) {
      Sum(columns,
          Row<T>(one, row, columns),
          Row<T>(other, row, columns),
          Row<T>(out, row, columns));
    });
  });
}
Bytes AddTraffic(DType dtype, std::int64_t rows, std::int64_t columns) {
  return Tensors(3, dtype, rows, columns);
}

void Gather(DType dtype,
            const std::vector<std::int32_t>& ids,
            std::int64_t columns,
            const void* table,
            void* out) {
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(static_cast<std::int64_t>(ids.size()), [&](std::int64_t row) {
      std::memcpy(Row<T>(out, row, columns),
                  Row<T>(table, ids[static_cast<std::size_t>(row)], columns),
                  static_cast<std::size_t>(columns) * sizeof(T));
    });
  });
}

void Choose(DType dtype,
            std::int64_t rows,
            std::int64_t columns,
            const void* logits,
            std::vector<Choice>& choices) {
  choices.resize(static_cast<std::size_t>(rows));
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(rows, [&](std::int64_t row) {
      const T* numbers = Row<T>(logits, row, columns);
      const float highest = Highest(columns, numbers);
      Choice choice;
      while (Widen(numbers[choice.token]) != highest) ++choice.token;
      choice.probability = 1.0F / SumOfExponentials(columns, numbers, highest);
      choices[static_cast<std::size_t>(row)] = choice;
    });
  });
}
Bytes ChooseTraffic(DType dtype, std::int64_t rows, std::int64_t columns) {
  return Tensors(2, dtype, rows, columns);
}

}  // namespace roofcast::bench
