// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hardware/device.h"
#include "models/kernels/op_list.h"

namespace roofcast {

// One measured operator.
struct MeasuredRow {
  std::shared_ptr<const Device> device;  // that it was measured on
  Op op;
  double time = 0;        // microseconds
  double resolution = 0;  // the time was rounded to multiples of this; 0: it wasn't
  // What is fitted together, by number formats: "gemm bf16", "prefill bf16, kv fp8".
  std::string family;     // "gemm", "prefill", "decode", "encoder", "mla_prefill", "moe", ...
  std::string format;     // "bf16", "fp8_block", "bf16, kv fp8"
  std::string framework;  // "trtllm", "vllm", ...; "" when the table doesn't say
  std::string version;
  std::string kernel;  // the table's own word for what ran
  // Its shape without the sizes that a model varies at run time: rows of one key never lie on both
  // sides of a cross-validation. "n,k" of a GEMM; "heads,kv_heads,head_dim" of attention.
  std::string key;
  // Used instead where a series has too few keys to leave one out (a single model was measured):
  // how the shape was dealt out to devices. "" where there is none.
  std::string finer_key;
  std::string identity;  // cells that say what was measured; rows with the same are repeats
  std::string text;      // all its cells as CSV, for the data hash
  std::string file;      // base name
  std::string source;    // its cell `source`, "" when there is none
  std::int64_t line = 0;
};

}  // namespace roofcast
