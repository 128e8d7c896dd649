// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/family.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "models/kernels/op_list.h"

namespace roofcast {

// One measured row: an operator and how long it took.
struct Sample {
  Op op;
  Family family = Family::kGemm;
  Seconds time;
  // Its shape without the sizes that a model varies at run time: rows of one key never lie on both
  // sides of a cross-validation. "n,k" of a GEMM; "heads,kv_heads,head_dim" of attention.
  std::string key;
  std::string row;     // all its cells as CSV, for the data hash
  std::string file;    // base name
  std::string source;  // its cell `source`, "" when there is none
};

struct Dataset {
  std::vector<Sample> samples;
  std::map<std::string, std::int64_t> skipped;  // why rows can't be used -> how many
};

// Reads a table of operators, recognised by its header, and appends its rows:
//   m, n, k, dtype, latency_us                                                    GEMM
//   phase, dtype, kv_dtype, batch, q_len, kv_len, heads, kv_heads, head_dim, window, latency_us
//                                                                                 attention
// with any others beside them. Numbers are positive, latency_us is in microseconds. Rows of
// another GPU (column `gpu`), of number formats other than bf16 and fp16, or without a value are
// skipped and counted with the reason; a value that can't be right throws SpecError with every
// such cell. `file` is what messages call the text.
void ReadOperators(std::string_view text,
                   const std::string& file,
                   const Device& device,
                   Dataset& dataset);
// The same from a file. Throws NotFoundError when it can't be read.
void LoadOperators(const std::string& path, const Device& device, Dataset& dataset);

// SHA-256 in hex over the sorted rows, each with a line end: it names the data that a fit rests on.
std::string DataHash(const std::vector<const Sample*>& samples);

}  // namespace roofcast
