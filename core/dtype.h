// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"

namespace roofcast {

// Number formats that tensors are stored in or matrix units multiply.
enum class DType : std::uint8_t {
  kFp64,
  kFp32,
  kTf32,
  kFp16,
  kBf16,
  kFp8,
  kInt8,
  kFp6,
  kFp4,
  kInt4,
};

struct DTypeRow {
  DType dtype;
  std::string_view name;
  int bits;
};
// All of them, in the order of the enum.
const std::vector<DTypeRow>& DTypes();

std::string_view NameOf(DType dtype);
// Storage of one element; tf32 is stored as four bytes.
Bytes BytesOf(DType dtype);
// "bf16", and the spellings of config.json and tools: bfloat16, half, float8_e4m3fn, ...
std::optional<DType> FindDType(std::string_view name);
// As FindDType, but an unknown name throws ArgumentError that lists the known ones.
DType ParseDType(std::string_view name);

}  // namespace roofcast
