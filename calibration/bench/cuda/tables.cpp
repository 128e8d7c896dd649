// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/tables.h"

#include <cmath>
#include <utility>
#include <vector>

namespace roofcast::bench::cuda {
namespace {

using Columns = std::vector<std::string>;

Columns HeaderOf(Family family) {
  Columns header = {"gpu", "source", "framework", "version"};
  Columns own;
  switch (family) {
    case Family::kGemm:
      own = {"kernel", "dtype", "m", "n", "k"};
      break;
    case Family::kPrefill:
    case Family::kDecode:
      own = {"kernel",
             "phase",
             "dtype",
             "kv_dtype",
             "batch",
             "q_len",
             "kv_len",
             "heads",
             "kv_heads",
             "head_dim",
             "window"};
      break;
    case Family::kElementwise:
      own = {"kernel", "op", "dtype", "rows", "cols", "bytes_rw"};
      break;
    case Family::kHost:
      own = {"kernel", "op", "bytes"};
      break;
    case Family::kCollectives:
      own = {"impl", "op", "dtype", "num_gpus", "nodes", "interconnect", "bytes"};
      break;
  }
  header.insert(header.end(), own.begin(), own.end());
  for (const char* column : {"latency_us", "spread", "repeats", "copies"}) {
    header.emplace_back(column);
  }
  return header;
}

// Five digits: more than the events resolve.
double Rounded(double value) {
  if (!(value > 0)) return value;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace

Table::Table(Family family, std::string gpu)
    : family_(family), gpu_(std::move(gpu)), csv_(HeaderOf(family)) {}

std::string Table::FileName() const {
  return gpu_ + "__" + std::string(NameOf(family_)) + ".csv";
}

CsvWriter& Table::Begin(const Kernel& kernel) {
  csv_.Add(gpu_).Add("roofcast-bench-cuda").Add(kernel.framework).Add(kernel.version);
  return csv_.Add(kernel.name);
}

void Table::End(const Latency& latency) {
  csv_.Add(Rounded(latency.median_us)).Add(Rounded(latency.spread));
  csv_.Add(latency.repeats).Add(latency.copies).EndRow();
  ++rows_;
}

void Table::Add(const Kernel& kernel,
                GemmFormat format,
                const GemmPoint& point,
                const Latency& latency) {
  Begin(kernel).Add(NameOf(format)).Add(point.m).Add(point.n).Add(point.k);
  End(latency);
}

void Table::Add(const Kernel& kernel, const AttentionPoint& point, const Latency& latency) {
  Begin(kernel).Add(point.q_len == 1 ? "decode" : "prefill").Add("bf16").Add("bf16");
  csv_.Add(point.batch).Add(point.q_len).Add(point.kv_len).Add(point.heads).Add(point.kv_heads);
  csv_.Add(point.head_dim).Add(point.window);
  End(latency);
}

void Table::Add(const Kernel& kernel, const RowPoint& point, const Latency& latency) {
  Begin(kernel).Add(NameOf(point.op)).Add("bf16").Add(point.rows).Add(point.cols);
  csv_.Add(BytesReadAndWritten(point));
  End(latency);
}

void Table::Add(const Kernel& kernel, const HostPoint& point, const Latency& latency) {
  Begin(kernel).Add(NameOf(point.op)).Add(point.bytes);
  End(latency);
}

void Table::Add(const Kernel& kernel,
                Collective op,
                std::int64_t bytes,
                const Ring& ring,
                const Latency& latency) {
  Begin(kernel).Add(NameOf(op)).Add("bf16").Add(std::int64_t{ring.gpus}).Add(std::int64_t{1});
  csv_.Add(ring.interconnect).Add(bytes);
  End(latency);
}

}  // namespace roofcast::bench::cuda
