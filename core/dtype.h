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
  // Blocks of numbers with their scales. The first two are the microscaling formats, in which KV
  // caches may lie too; the others those of GGUF files and llama.cpp's KV cache.
  kNvfp4,
  kMxfp4,
  kQ4v0,
  kQ4v1,
  kQ5v0,
  kQ5v1,
  kQ8v0,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ5K,
  kQ6K,
  kIq4Nl,
  kIq4Xs,
};

struct DTypeRow {
  DType dtype;
  std::string_view name;
  double bits;             // of one number, its share of the scales included
  std::int64_t block = 1;  // numbers that share scales
};
// Those that tensors are multiplied in, in the order of the enum.
const std::vector<DTypeRow>& DTypes();
// The others: bytes of a block over its numbers, by the structs of ggml [llama-cpp] and
// [ocp-microscaling].
const std::vector<DTypeRow>& BlockDTypes();
bool IsBlockDType(DType dtype);

std::string_view NameOf(DType dtype);
// Storage of one element; tf32 is stored as four bytes.
Bytes BytesOf(DType dtype);
// Numbers that share scales: rows of another length can't be stored so.
std::int64_t BlockOf(DType dtype);
// "bf16", and the spellings of config.json and tools: bfloat16, half, float8_e4m3fn, ...
std::optional<DType> FindDType(std::string_view name);
// As FindDType, and the names of BlockDTypes().
std::optional<DType> FindStorageDType(std::string_view name);
// As FindDType, but an unknown name throws ArgumentError that lists the known ones.
DType ParseDType(std::string_view name);

}  // namespace roofcast
