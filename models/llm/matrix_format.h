// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/quantity.h"

namespace roofcast {

// Numbers of one number format in a checkpoint, named as safetensors does ("F8_E4M3", "I32"), or
// as GGUF does where only that has it ("q4_k").
struct StoredNumbers {
  std::string_view dtype;
  std::int64_t numbers = 0;
  Bytes bytes;
  bool beside = false;  // scales and the like: not the matrix itself
};

// How a checkpoint stores one matrix of outputs x inputs: its numbers, and what stands beside them.
// The layouts are those of the loaders that frameworks read the files with [vllm-quantization].
struct MatrixFormat {
  enum class Packing : std::uint8_t {
    kPlain,  // each number by itself, or in the blocks of its dtype
    kBytes,  // two numbers of four bits in a byte
    kWords,  // numbers of `bits` bits, one after the other in words of 32 bits
  };

  std::string name;           // as messages call it
  DType dtype = DType::kFp8;  // what a number is, which rates and widening go by
  Packing packing = Packing::kPlain;
  int bits = 8;  // kWords: of one number
  // One scale a block of rows (outputs) x columns (inputs); 0 = all of them, so that 0 x 0 is one
  // scale a matrix and 1 x 0 one an output.
  std::int64_t block_rows = 0;
  std::int64_t block_columns = 0;
  DType scale_dtype = DType::kFp32;
  bool has_scales = true;
  bool scales_are_exponents = false;  // e8m0 in a byte (microscaling)
  bool zero_points = false;    // of each block: packed as the numbers are, plain ones one byte each
  bool input_order = false;    // the group of each input, in 32 bits (g_idx)
  bool input_factors = false;  // a 16-bit factor of each input (AWQ of ModelOpt)
  std::int64_t matrix_scales = 0;  // more scales of the whole matrix: of scales, of inputs
  DType matrix_scale_dtype = DType::kFp32;
  std::int64_t shape_numbers = 0;  // its shape in 64-bit integers
  bool whole_groups = false;       // block_columns has to divide the inputs

  // Whether scales count as parameters: of the 8-bit formats, as the published totals do. Those of
  // narrower ones are part of the number format.
  bool ScalesAreParameters() const { return has_scales && BytesOf(dtype) >= Bytes(1); }
  friend bool operator==(const MatrixFormat&, const MatrixFormat&) = default;
};

// A matrix whose numbers stand alone in `dtype`.
MatrixFormat PlainFormat(DType dtype);

// All that `count` matrices of outputs x inputs take.
std::vector<StoredNumbers> StoredNumbersOf(const MatrixFormat& format,
                                           std::int64_t outputs,
                                           std::int64_t inputs,
                                           std::int64_t count);

// "BF16", "F8_E4M3"; two numbers of fp4 or int4 lie in one "U8".
std::string_view SafetensorsName(DType dtype);

}  // namespace roofcast
