// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"
#include "models/kernels/roofline_gemm.h"

namespace roofcast {
namespace {

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Gemm op;
  op.m = row.Size("m");
  op.n = row.Size("n");
  op.k = row.Size("k");
  const std::string& format = row.Text("dtype");
  const auto dtype = FindDType(format);
  if (!dtype || !device.Supports(*dtype)) {
    row.NotUsable("dtype " + format + " is not fitted on " + device.name);
  } else {
    op.math = op.input = op.weights = op.output = *dtype;
  }
  out.op = op;
  out.family = RooflineGemm::FamilyOf(op);
  out.format = RooflineGemm::FormatOf(op);
  out.key = std::to_string(op.n) + "," + std::to_string(op.k);
}

}  // namespace

TableKind GemmTable() {
  return {"gemm", {"m", "n", "k", "dtype"}, Read};
}

}  // namespace roofcast
