// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/measured_rows.h"

#include "models/kernels/cpu_attention.h"
#include "models/kernels/cpu_gemm.h"
#include "models/kernels/cpu_pass.h"

namespace roofcast::bench {
namespace {

void SetProduct(const Case& c, MeasuredRow& row) {
  Gemm op;
  op.m = c.m;
  op.n = c.n;
  op.k = c.k;
  op.math = op.input = op.weights = op.output = c.dtype;
  row.op = op;
  row.family = CpuGemm::FamilyOf(op);
  row.format = CpuGemm::FormatOf(op);
  row.key = std::to_string(c.n) + "," + std::to_string(c.k);
}

void SetAttention(const Case& c, MeasuredRow& row) {
  Attention op;
  op.batch = c.batch;
  op.queries = c.queries;
  op.keys = c.keys;
  op.heads = c.heads;
  op.kv_heads = c.kv_heads;
  op.head_dim = op.value_dim = c.head_dim;
  op.math = op.io = op.kv = c.dtype;
  row.op = op;
  row.family = CpuAttention::FamilyOf(op);
  row.format = CpuAttention::FormatOf(op);
  row.key =
      std::to_string(c.heads) + "," + std::to_string(c.kv_heads) + "," + std::to_string(c.head_dim);
}

void SetPass(const Measured& measured, MeasuredRow& row) {
  Elementwise op;
  op.traffic = measured.traffic;
  op.work = Flops(measured.traffic.value());
  row.op = op;
  row.family = CpuPass::FamilyOf(op);
  row.format = CpuPass::FormatOf(op);
  row.key = std::to_string(measured.what.rows) + "," + std::to_string(measured.what.columns);
}

}  // namespace

std::vector<MeasuredRow> ToRows(const std::vector<Measured>& measured, const Setting& setting) {
  std::vector<MeasuredRow> rows;
  rows.reserve(measured.size());
  for (const Measured& one : measured) {
    MeasuredRow row;
    switch (one.what.part) {
      case Part::kGemm:
      case Part::kGemv:
        SetProduct(one.what, row);
        break;
      case Part::kAttention:
        SetAttention(one.what, row);
        break;
      case Part::kElementwise:
        SetPass(one, row);
        break;
      case Part::kMemory:
        continue;
    }
    row.time = one.repeats.Time(setting.threads).value() * 1e6;
    row.framework = setting.library;
    row.version = setting.version;
    row.kernel = one.kernel;
    row.source = "roofcast-bench";
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace roofcast::bench
