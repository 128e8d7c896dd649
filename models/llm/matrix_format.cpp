// SPDX-License-Identifier: Apache-2.0
#include "models/llm/matrix_format.h"

#include "core/scalar.h"

namespace roofcast {
namespace {

constexpr std::int64_t kWordBits = 32;

std::int64_t DivideUp(std::int64_t total, std::int64_t parts) {
  return (total + parts - 1) / parts;
}

std::int64_t Blocks(std::int64_t size, std::int64_t block) {
  return block == 0 ? 1 : DivideUp(size, block);
}

}  // namespace

std::string_view SafetensorsName(DType dtype) {
  switch (dtype) {
    case DType::kFp64:
      return "F64";
    case DType::kFp32:
    case DType::kTf32:
      return "F32";
    case DType::kFp16:
      return "F16";
    case DType::kBf16:
      return "BF16";
    case DType::kFp8:
      return "F8_E4M3";
    case DType::kInt8:
      return "I8";
    case DType::kFp6:
    case DType::kFp4:
    case DType::kInt4:
      return "U8";
    default:
      return NameOf(dtype);
  }
}

MatrixFormat PlainFormat(DType dtype) {
  MatrixFormat format;
  format.name = NameOf(dtype);
  format.dtype = dtype;
  format.has_scales = false;
  format.packing =
      BytesOf(dtype) == Bytes(0.5) ? MatrixFormat::Packing::kBytes : MatrixFormat::Packing::kPlain;
  return format;
}

std::vector<StoredNumbers> StoredNumbersOf(const MatrixFormat& format,
                                           std::int64_t outputs,
                                           std::int64_t inputs,
                                           std::int64_t count) {
  std::vector<StoredNumbers> stored;
  const auto add = [&](std::string_view name, std::int64_t numbers, Bytes each, bool beside) {
    if (numbers > 0) stored.push_back({name, count * numbers, each * (count * numbers), beside});
  };
  const auto words = [&](std::int64_t numbers) {
    return DivideUp(numbers * format.bits, kWordBits);
  };
  const std::int64_t rows = Blocks(outputs, format.block_rows);
  const std::int64_t columns = Blocks(inputs, format.block_columns);
  const bool packed = format.packing == MatrixFormat::Packing::kWords;

  switch (format.packing) {
    case MatrixFormat::Packing::kPlain:
      add(SafetensorsName(format.dtype), outputs * inputs, BytesOf(format.dtype), false);
      break;
    case MatrixFormat::Packing::kBytes:
      add("U8", outputs * DivideUp(inputs, 2), Bytes(1), false);
      break;
    case MatrixFormat::Packing::kWords:
      add("I32", outputs * words(inputs), Bytes(4), false);
      break;
  }
  if (format.has_scales) {
    const std::string_view name =
        format.scales_are_exponents ? "U8" : SafetensorsName(format.scale_dtype);
    add(name, rows * columns, BytesOf(format.scale_dtype), true);
  }
  if (format.zero_points && packed) add("I32", words(rows) * columns, Bytes(4), true);
  if (format.zero_points && !packed) add("I8", rows * columns, Bytes(1), true);
  if (format.input_order) add("I32", inputs, Bytes(4), true);
  if (format.input_factors) add("F16", inputs, Bytes(2), true);
  add(SafetensorsName(format.matrix_scale_dtype),
      format.matrix_scales,
      BytesOf(format.matrix_scale_dtype),
      true);
  add("I64", format.shape_numbers, Bytes(8), true);
  return stored;
}

}  // namespace roofcast
