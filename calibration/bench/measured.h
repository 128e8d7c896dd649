// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/bench/timing.h"
#include "core/dtype.h"
#include "core/fields.h"
#include "core/quantity.h"

namespace roofcast::bench {

// What can be asked for by itself.
enum class Part : std::uint8_t { kGemm, kGemv, kMemory, kAttention, kElementwise };

}  // namespace roofcast::bench

namespace roofcast {
template <>
struct EnumNames<bench::Part> {
  static constexpr std::array<std::pair<bench::Part, std::string_view>, 5> kNames = {{
      {bench::Part::kGemm, "gemm"},
      {bench::Part::kGemv, "gemv"},
      {bench::Part::kMemory, "memory"},
      {bench::Part::kAttention, "attention"},
      {bench::Part::kElementwise, "elementwise"},
  }};
};
}  // namespace roofcast

namespace roofcast::bench {

// One operator to measure. Which sizes mean something depends on the part; the others are 0.
struct Case {
  Part part = Part::kGemm;
  DType dtype = DType::kFp32;
  // GEMM and GEMV.
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  // Attention, causal: prefill when there are several queries.
  std::int64_t batch = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  // Memory and elementwise.
  std::string_view op{};
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  Flops Work() const;  // of products and attention
};

struct Measured {
  Case what;
  std::string kernel;  // the library's name of what ran
  Bytes traffic;       // memory and elementwise: read and written
  Repeats repeats;
};

// Where and how it was measured: what all rows of a table share.
struct Setting {
  std::string device;   // its name
  std::string library;  // "onednn"
  std::string version;
  int threads = 1;
};

// The tables of operators that `roofcast calibrate` reads, one for each kind of row that is there,
// by the name of its file: gemm.csv (with the GEMVs), attention.csv, elementwise.csv, memory.csv.
// A latency is the median of the repeats; their spread and number stand beside it.
std::vector<std::pair<std::string, std::string>> FormatTables(const std::vector<Measured>& measured,
                                                              const Setting& setting);

}  // namespace roofcast::bench
