// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"

namespace roofcast {
namespace {

// DeepSeek's attention: 128 numbers of a head and 64 rotated ones, values of 128, a latent of 512
// and the rotated key. Source: [deepseek-v2].
constexpr std::int64_t kHead = 128;
constexpr std::int64_t kRotated = 64;
constexpr std::int64_t kLatent = 512;

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Attention op;
  op.batch = row.Size("batch");
  op.queries = row.Size("q_len");
  op.keys = row.Size("kv_len");
  op.heads = row.Size("heads");
  const std::int64_t tp = row.Size("tp");
  if (op.keys < op.queries) row.Complain("kv_len", " is below q_len", "count new keys as well");
  const bool decodes = row.Text("phase") == "decode";
  op.latent = kLatent + kRotated;
  // As steps have it: keys and values expanded in prefill, one latent for all heads in decode.
  op.kv_heads = decodes ? 1 : op.heads;
  op.head_dim = decodes ? op.latent : kHead + kRotated;
  op.value_dim = decodes ? kLatent : kHead;
  op.shared_values = decodes;
  // What the benchmark has inside its timed region.
  op.writes_cache = true;
  op.rotates = row.TextOr("framework", "") == "trtllm";
  const std::string& format = row.Text("dtype");
  const std::string& kv_format = row.Text("kv_dtype");
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
  out.op = op;
  out.family = decodes ? "mla_decode" : "mla_prefill";
  out.format = AttentionFormatOf(op);
  out.key = std::to_string(op.heads) + "," + std::to_string(tp);
}

}  // namespace

TableKind MlaTable() {
  return {"mla", {"phase", "batch", "q_len", "kv_len", "heads", "tp", "kv_dtype"}, Read};
}

}  // namespace roofcast
