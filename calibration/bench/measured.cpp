// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/measured.h"

#include <cmath>

#include "core/csv.h"
#include "core/scalar.h"
#include "models/kernels/attention.h"

namespace roofcast::bench {
namespace {

using Words = std::vector<std::string>;

// Four digits: more than any clock of a busy machine is worth.
double Rounded(double value) {
  if (!(value > 0)) return value;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

// A table of the rows of some parts; `add` writes the columns that only it has.
template <class Add>
std::string Table(const std::vector<Measured>& measured,
                  const Setting& setting,
                  const Words& columns,
                  std::initializer_list<Part> parts,
                  const Add& add) {
  Words header = {"gpu", "source", "framework", "version"};
  header.insert(header.end(), columns.begin(), columns.end());
  for (const char* column : {"latency_us", "spread", "repeats"}) header.emplace_back(column);
  CsvWriter csv(header);
  bool any = false;
  for (const Measured& row : measured) {
    bool wanted = false;
    for (const Part part : parts) wanted = wanted || row.what.part == part;
    if (!wanted) continue;
    any = true;
    csv.Add(setting.device).Add("roofcast-bench").Add(setting.library).Add(setting.version);
    add(csv, row);
    csv.Add(Rounded(row.repeats.Time(setting.threads).value() * 1e6));
    csv.Add(Rounded(row.repeats.Spread(setting.threads)));
    csv.Add(static_cast<std::int64_t>(row.repeats.timings.size()));
    csv.EndRow();
  }
  return any ? csv.text() : "";
}

void AddProduct(CsvWriter& csv, const Measured& row) {
  csv.Add(row.kernel).Add(NameOf(row.what.dtype));
  csv.Add(row.what.m).Add(row.what.n).Add(row.what.k);
}

void AddAttention(CsvWriter& csv, const Measured& row) {
  const Case& c = row.what;
  csv.Add(row.kernel).Add(c.queries == 1 ? "decode" : "prefill");
  csv.Add(NameOf(c.dtype)).Add(NameOf(c.dtype));
  csv.Add(c.batch).Add(c.queries).Add(c.keys).Add(c.heads).Add(c.kv_heads).Add(c.head_dim);
  csv.Add(std::int64_t{0});
}

void AddPass(CsvWriter& csv, const Measured& row) {
  csv.Add(row.what.op).Add(NameOf(row.what.dtype)).Add(row.what.rows).Add(row.what.columns);
  csv.Add(static_cast<std::int64_t>(row.traffic.value()));
}

const Words kProductColumns = {"kernel", "dtype", "m", "n", "k"};
const Words kAttentionColumns = {"kernel",
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
const Words kPassColumns = {"op", "dtype", "rows", "cols", "bytes_rw"};

}  // namespace

Flops Case::Work() const {
  if (part == Part::kAttention) {
    Attention core;
    core.queries = queries;
    core.keys = keys;
    return Flops(4 * Number(head_dim) * Number(heads) * Number(batch) * AttentionPairs(core));
  }
  return Flops(2 * Number(m) * Number(n) * Number(k));
}

std::vector<std::pair<std::string, std::string>> FormatTables(const std::vector<Measured>& measured,
                                                              const Setting& setting) {
  std::vector<std::pair<std::string, std::string>> tables;
  const auto keep = [&](const char* name, std::string text) {
    if (!text.empty()) tables.emplace_back(name, std::move(text));
  };
  keep("gemm.csv",
       Table(measured, setting, kProductColumns, {Part::kGemm, Part::kGemv}, AddProduct));
  keep("attention.csv",
       Table(measured, setting, kAttentionColumns, {Part::kAttention}, AddAttention));
  keep("elementwise.csv", Table(measured, setting, kPassColumns, {Part::kElementwise}, AddPass));
  keep("memory.csv", Table(measured, setting, kPassColumns, {Part::kMemory}, AddPass));
  return tables;
}

}  // namespace roofcast::bench
