// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"
#include "models/kernels/roofline_gemm.h"

namespace roofcast {
namespace {

// The benchmark of aiconfigurator goes round five copies of the weights.
constexpr std::int64_t kCopies = 5;
constexpr std::int64_t kBlock = 128;     // inputs under one scale of fp8_block
constexpr std::int64_t kFp4Block = 16;   // of nvfp4
constexpr std::int64_t kInt4Group = 128;  // of int4_wo

// What the column dtype means; false when it's none of these.
bool SetFormat(const std::string& format, Gemm& op) {
  const auto quantised = [&](DType dtype, std::int64_t columns) {
    op.math = op.input = op.weights = dtype;
    op.scale_columns = columns;
    op.quantises_input = true;
  };
  if (format == "fp8") {
    quantised(DType::kFp8, 0);
  } else if (format == "fp8_block") {
    quantised(DType::kFp8, kBlock);
  } else if (format == "nvfp4") {
    quantised(DType::kFp4, kFp4Block);
    op.weight_overhead = 1 + 2.0 / Number(kFp4Block);  // a scale of eight bits to numbers of four
  } else if (format == "int8_sq") {
    op.math = op.input = op.weights = DType::kInt8;
  } else if (format == "int8_wo") {
    op.weights = DType::kInt8;
  } else if (format == "int4_wo") {
    op.weights = DType::kInt4;
    op.scale_columns = kInt4Group;
  } else if (const auto dtype = FindDType(format)) {
    op.math = op.input = op.weights = op.output = *dtype;
  } else {
    return false;
  }
  return true;
}

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Gemm op;
  op.m = row.Size("m");
  op.n = row.Size("n");
  op.k = row.Size("k");
  const std::string& format = row.Text("dtype");
  if (!SetFormat(format, op) || !device.Supports(op.math)) {
    row.NotUsable("dtype " + format + " is not fitted on " + device.name);
  }
  op.weight_copies = kCopies;
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
