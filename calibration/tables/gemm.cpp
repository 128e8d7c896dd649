// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables/table.h"
#include "models/kernels/tiled_gemm.h"

namespace roofcast {
namespace {

constexpr std::int64_t kBlock = 128;      // inputs under one scale of fp8_block
constexpr std::int64_t kFp4Block = 16;    // of nvfp4
constexpr std::int64_t kInt4Group = 128;  // of int4_wo

// What the column dtype means; false when it's none of these. Products of quantised inputs were
// timed with the kernel that quantises them, but for int8_sq.
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
    op.weight_overhead = 1 + 4.0 / Number(kInt4Group);  // of 16 bits to numbers of four
  } else if (const auto dtype = FindDType(format)) {
    op.math = op.input = op.weights = op.output = *dtype;
  } else {
    return false;
  }
  return true;
}

// Whoever times one product over and over finds its weights in the cache; aiconfigurator goes round
// five copies of them.
std::int64_t CopiesOf(TableRow& row) {
  constexpr std::int64_t kAiconfigurator = 5;
  const bool rotates = row.TextOr("source", "").starts_with("aiconfigurator");
  return row.SizeOr("weight_copies", rotates ? kAiconfigurator : 1);
}

void Fill(TableRow& row, const Device& device, Gemm op, MeasuredRow& out) {
  const std::string& format = row.Text("dtype");
  if (!SetFormat(format, op) || !device.Supports(op.math)) {
    row.NotUsable("dtype " + format + " is not fitted on " + device.name);
  }
  op.weight_copies = CopiesOf(row);
  out.op = op;
  out.family = TiledGemm::FamilyOf(op);
  out.format = TiledGemm::FormatOf(op);
  out.key = std::to_string(op.n) + "," + std::to_string(op.k);
}

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  Gemm op;
  op.m = row.Size("m");
  op.n = row.Size("n");
  op.k = row.Size("k");
  if (row.Has("batch")) op.batch = row.Size("batch");
  Fill(row, device, op, out);
}

// Vidur's tables of the layers of a model.
void ReadLayer(TableRow& row, const Device& device, MeasuredRow& out) {
  Gemm op;
  op.m = row.Size("gemm_m");
  op.n = row.Size("gemm_n");
  op.k = row.Size("gemm_k");
  out.resolution = 1;  // microseconds that times are rounded to
  Fill(row, device, op, out);
}

}  // namespace

TableKind GemmTable() {
  return {"gemm", {"m", "n", "k", "dtype"}, Read};
}

TableKind LayerGemmTable() {
  return {"gemm of a layer", {"gemm_m", "gemm_n", "gemm_k", "dtype"}, ReadLayer};
}

}  // namespace roofcast
