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

const std::vector<DTypeRow>& BlockDTypes() {
  const auto bits = [](int bytes, int numbers) { return 8.0 * bytes / numbers; };
  static const std::vector<DTypeRow> rows = {
      {DType::kNvfp4, "nvfp4", bits(9, 16), 16},
      {DType::kMxfp4, "mxfp4", bits(17, 32), 32},
      {DType::kQ4v0, "q4_0", bits(18, 32), 32},
      {DType::kQ4v1, "q4_1", bits(20, 32), 32},
      {DType::kQ5v0, "q5_0", bits(22, 32), 32},
      {DType::kQ5v1, "q5_1", bits(24, 32), 32},
      {DType::kQ8v0, "q8_0", bits(34, 32), 32},
      {DType::kQ2K, "q2_k", bits(84, 256), 256},
      {DType::kQ3K, "q3_k", bits(110, 256), 256},
      {DType::kQ4K, "q4_k", bits(144, 256), 256},
      {DType::kQ5K, "q5_k", bits(176, 256), 256},
      {DType::kQ6K, "q6_k", bits(210, 256), 256},
      {DType::kIq4Nl, "iq4_nl", bits(18, 32), 32},
      {DType::kIq4Xs, "iq4_xs", bits(136, 256), 256},
  };
  return rows;
}

bool IsBlockDType(DType dtype) {
  return static_cast<std::size_t>(dtype) >= DTypes().size();
}

namespace {

const DTypeRow& RowOf(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  return IsBlockDType(dtype) ? BlockDTypes()[index - DTypes().size()] : DTypes()[index];
}

}  // namespace

std::string_view NameOf(DType dtype) {
  return RowOf(dtype).name;
}

Bytes BytesOf(DType dtype) {
  return Bytes(RowOf(dtype).bits / 8.0);
}

std::int64_t BlockOf(DType dtype) {
  return RowOf(dtype).block;
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

std::optional<DType> FindStorageDType(std::string_view name) {
  const std::string folded = NormaliseName(name);
  for (const DTypeRow& row : BlockDTypes()) {
    if (folded == NormaliseName(row.name)) return row.dtype;
  }
  return FindDType(name);
}

DType ParseDType(std::string_view name) {
  if (const auto dtype = FindDType(name)) return *dtype;
  std::vector<std::string> known;
  for (const DTypeRow& row : DTypes()) known.emplace_back(row.name);
  throw ArgumentError("dtype: unknown number format '" + Printable(name) + "'; use " +
                      JoinWithOr(known));
}

}  // namespace roofcast
