// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <array>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {

const std::vector<DTypeRow>& DTypes() {
  static const std::vector<DTypeRow> rows = {
      {DType::kFp64, "fp64", 64},
      {DType::kFp32, "fp32", 32},
      {DType::kTf32, "tf32", 32},
      {DType::kFp16, "fp16", 16},
      {DType::kBf16, "bf16", 16},
      {DType::kFp8, "fp8", 8},
      {DType::kInt8, "int8", 8},
      {DType::kFp6, "fp6", 6},
      {DType::kFp4, "fp4", 4},
      {DType::kInt4, "int4", 4},
  };
  return rows;
}

std::string_view NameOf(DType dtype) {
  return DTypes()[static_cast<std::size_t>(dtype)].name;
}

Bytes BytesOf(DType dtype) {
  return Bytes(DTypes()[static_cast<std::size_t>(dtype)].bits / 8.0);
}

std::optional<DType> FindDType(std::string_view name) {
  constexpr std::array kAliases = {
      std::pair{"float64", DType::kFp64},
      std::pair{"float32", DType::kFp32},
      std::pair{"float", DType::kFp32},
      std::pair{"float16", DType::kFp16},
      std::pair{"half", DType::kFp16},
      std::pair{"bfloat16", DType::kBf16},
      std::pair{"float8", DType::kFp8},
      std::pair{"fp8-e4m3", DType::kFp8},
      std::pair{"float8-e4m3fn", DType::kFp8},
      std::pair{"float8-e4m3", DType::kFp8},
      std::pair{"float8-e5m2", DType::kFp8},
  };
  std::string folded = NormaliseName(name);
  if (folded.starts_with("torch.")) folded = folded.substr(6);
  for (const DTypeRow& row : DTypes()) {
    if (folded == row.name) return row.dtype;
  }
  for (const auto& [alias, dtype] : kAliases) {
    if (folded == alias) return dtype;
  }
  return std::nullopt;
}

DType ParseDType(std::string_view name) {
  if (const auto dtype = FindDType(name)) return *dtype;
  std::vector<std::string> known;
  for (const DTypeRow& row : DTypes()) known.emplace_back(row.name);
  throw ArgumentError("dtype: unknown number format '" + Printable(name) + "'; use " +
                      JoinWithOr(known));
}

}  // namespace roofcast
