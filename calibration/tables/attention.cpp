// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"

namespace roofcast {
namespace {

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Attention op;
  op.batch = row.Size("batch");
  op.queries = row.Size("q_len");
  op.keys = row.Size("kv_len");
  op.heads = row.Size("heads");
  op.kv_heads = row.Size("kv_heads");
  op.head_dim = op.value_dim = row.Size("head_dim");
  op.window = row.SizeOr("window", 0);
  if (op.keys < op.queries) row.Complain("kv_len", " is below q_len", "count new keys as well");
  if (op.heads >= op.kv_heads && op.heads % op.kv_heads != 0) {
    row.Complain("kv_heads", " does not divide heads", "check both");
  }
  if (op.kv_heads > op.heads) row.Complain("kv_heads", " is above heads", "check the order");
  op.causal = row.TextOr("phase", "") != "encoder";
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
  // What the benchmark has inside its timed region.
  op.writes_cache = op.causal;
  op.rotates = op.causal && row.TextOr("framework", "") == "trtllm";
  out.op = op;
  out.family = AttentionFamilyOf(op);
  out.format = AttentionFormatOf(op);
  out.key = std::to_string(op.heads) + "," + std::to_string(op.kv_heads) + "," +
            std::to_string(op.head_dim);
}

}  // namespace

TableKind AttentionTable() {
  return {"attention", {"batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim"}, Read};
}

}  // namespace roofcast
