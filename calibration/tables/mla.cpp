// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"

namespace roofcast {
namespace {

// DeepSeek's sizes, which the tables don't repeat.
constexpr std::int64_t kLatent = 512;
constexpr std::int64_t kRotary = 64;
constexpr std::int64_t kHeadDim = 192;
constexpr std::int64_t kValueDim = 128;

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Attention op;
  op.batch = row.Size("batch");
  op.queries = row.Size("q_len");
  op.keys = row.Size("kv_len");
  op.heads = row.Size("heads");
  const std::int64_t tp = row.Size("tp");
  if (op.keys < op.queries) row.Complain("kv_len", " is below q_len", "count new keys as well");
  op.latent = kLatent + kRotary;
  if (row.TextOr("phase", "") == "decode") {
    op.kv_heads = 1;
    op.head_dim = kLatent + kRotary;
    op.value_dim = kLatent;
    op.shared_values = true;
  } else {
    op.kv_heads = op.heads;
    op.head_dim = kHeadDim;
    op.value_dim = kValueDim;
    row.NotUsable("prefill of latents is not fitted");
  }
  const std::string& format = row.Text("dtype");
  const std::string kv_format = row.TextOr("kv_dtype", format);
  const auto math = FindDType(format);
  const auto kv = FindDType(kv_format);
  if (!math || !device.Supports(*math)) {
    row.NotUsable("dtype " + format + " is not fitted on " + device.name);
  } else if (!kv) {
    row.NotUsable("kv_dtype " + kv_format + " is not known");
  } else {
    op.math = *math;
    op.kv = *kv;
  }
  op.writes_cache = true;
  op.rotates = row.TextOr("framework", "") == "trtllm";
  out.op = op;
  out.family = AttentionFamilyOf(op);
  out.format = AttentionFormatOf(op);
  out.key = std::to_string(op.heads) + "," + std::to_string(tp);
}

}  // namespace

TableKind MlaTable() {
  return {"mla", {"batch", "q_len", "kv_len", "heads", "tp"}, Read};
}

}  // namespace roofcast
