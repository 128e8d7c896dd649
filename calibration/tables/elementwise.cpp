// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/tables/table.h"
#include "models/kernels/gather.h"
#include "models/kernels/streaming.h"

namespace roofcast {
namespace {

using enum ElementwiseKind;

std::string KeyOf(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + "," + std::to_string(cols);
}

void Finish(const Elementwise& op, MeasuredRow& out) {
  out.op = op;
  out.family = Streaming::FamilyOf(op);
  out.format = Streaming::FormatOf(op);
  out.key = KeyOf(op.rows, op.cols);
}

// Words of aiconfigurator, and of NeuSight, whose u stands for one tensor and a number. Its powers
// do more arithmetic than the rest, so that they are not of a kind with them. The last three are
// those of `roofcast bench`.
std::optional<ElementwiseKind> KindOf(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, ElementwiseKind>, 17> kKinds = {{
      {"add", kAdd},
      {"mul", kAdd},
      {"div", kAdd},
      {"addu", kActivation},
      {"mulu", kActivation},
      {"divu", kActivation},
      {"relu", kActivation},
      {"gelu", kActivation},
      {"tanh", kActivation},
      {"pow", kOther},
      {"powu", kOther},
      {"ln", kNorm},
      {"softmax", kSoftmax},
      {"static_quant_bf16_to_fp8", kQuantise},
      {"add_norm", kNorm},
      {"silu_mul", kGatedActivation},
      {"rotary", kRotary},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

void Read(TableRow& row, const Device& /*device*/, MeasuredRow& out) {
  const std::string& word = row.Text("op");
  const auto kind = KindOf(word);
  const std::string& format = row.Text("dtype");
  const auto dtype = FindDType(format);
  if (!kind || !dtype) {
    row.NotUsable(kind ? "dtype " + format + " is not known" : "op " + word + " is not known");
  }
  Elementwise op;
  op.kind = kind.value_or(kOther);
  op.dtype = dtype.value_or(DType::kBf16);
  op.rows = row.Size("rows");
  op.cols = row.Size("cols");
  op.traffic = Bytes(row.Positive("bytes_rw"));
  op.work = Flops(op.traffic.value());
  Finish(op, out);
}

// One layer of Vidur's models, as its code runs it: norms that don't add the residual, gated
// activations, rotation of queries and keys in place, and the token table. Its phi-2 has an
// activation without gate, and adds attention and FFN to the residual one after the other.
void ReadVidur(TableRow& row, const Device& /*device*/, MeasuredRow& out) {
  const std::string& word = row.Text("op");
  const bool plain = row.Text("model") == "microsoft/phi-2";
  const std::int64_t hidden = row.Size("n_embd");
  const std::int64_t heads = row.Size("n_head");
  const std::int64_t tp = row.Size("tp");
  const std::int64_t tokens = row.Size("num_tokens");
  const auto dtype = FindDType(row.Text("dtype"));
  if (!dtype) row.NotUsable("its dtype is not known");
  out.resolution = 1;  // median and least of some runs are whole microseconds
  if (word == "emb") {
    const Embedding op{tokens, hidden, dtype.value_or(DType::kFp16)};
    out.op = op;
    out.family = Gather::FamilyOf(op);
    out.format = Gather::FormatOf(op);
    out.key = KeyOf(tokens, hidden);
    return;
  }
  Elementwise op;
  op.dtype = dtype.value_or(DType::kFp16);
  op.rows = tokens;
  op.cols = hidden;
  double tensors = 2;
  if (word == "add") {
    op.kind = kAdd;
    op.launches = plain ? 2 : 1;
    tensors = plain ? 6 : 3;
  } else if (word == "input_layernorm" || word == "post_attention_layernorm") {
    op.kind = kNorm;
  } else if (word == "mlp_act") {
    op.kind = plain ? kActivation : kGatedActivation;
    op.cols = std::max<std::int64_t>(1, row.Size("n_expanded") / tp);
    tensors = plain ? 2 : 3;
  } else if (word == "attn_rope") {
    op.kind = kRotary;
    const std::int64_t kv_heads = row.Size("n_kv_head");
    op.cols = std::max<std::int64_t>(1, (heads + kv_heads) * (hidden / heads) / tp);
  } else {
    row.NotUsable("op " + word + " is not known");
  }
  op.traffic = tensors * Number(op.rows) * Number(op.cols) * BytesOf(op.dtype);
  op.work = Flops(op.traffic.value());
  Finish(op, out);
}

}  // namespace

TableKind ElementwiseTable() {
  return {"elementwise", {"op", "dtype", "rows", "cols", "bytes_rw"}, Read};
}

TableKind VidurElementwiseTable() {
  return {
      "elementwise of vidur",
      {"model", "op", "dtype", "num_tokens", "tp", "n_embd", "n_expanded", "n_head", "n_kv_head"},
      ReadVidur};
}

}  // namespace roofcast
