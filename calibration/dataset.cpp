// SPDX-License-Identifier: Apache-2.0
#include "calibration/dataset.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/catalog.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::size_t kMostProblems = 20;
// What clocks and patience allow; beyond, the unit is wrong.
constexpr double kShortestLatency = 1e-3;
constexpr double kLongestLatency = 1e9;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40U;

// The current row of a table: cells by name, with what is wrong or missing noted on the way.
class Row {
 public:
  Row(std::string_view text, const std::string& file) : csv_(text, file) {}

  CsvReader& csv() { return csv_; }
  const std::vector<Problem>& problems() const { return problems_; }

  bool Next() {
    missing_.clear();
    wrong_ = false;
    return problems_.size() < kMostProblems && csv_.Next();
  }
  // Why the row can't be used, once its cells were read.
  bool wrong() const { return wrong_; }
  const std::string& missing() const { return missing_; }

  const std::string& Text(std::string_view name) {
    const std::string& cell = csv_.Cell(csv_.Column(name));
    if (Trim(cell).empty()) missing_ = name;
    return cell;
  }
  std::int64_t Size(std::string_view name, std::int64_t least = 1) {
    const std::size_t column = csv_.Column(name);
    const auto value = Read(name, [&] { return csv_.Integer(column); });
    if (value && *value < least) {
      Complain(column, least == 1 ? " is not positive" : " is negative", "write a size");
    } else if (value && *value > kLargestSize) {
      Complain(column, " is too large for a size", "check its unit");
    }
    return value.value_or(least);
  }
  Seconds Latency() {
    const std::size_t column = csv_.Column("latency_us");
    const auto value = Read("latency_us", [&] { return csv_.Number(column); });
    if (value && *value <= 0) {
      Complain(column, " is not positive", "write microseconds, or nothing where it is not known");
    } else if (value && !(*value >= kShortestLatency && *value <= kLongestLatency)) {
      const bool is_short = *value < kShortestLatency;
      Complain(column,
               is_short ? " is below 0.001 microseconds" : " is above 1e9 microseconds",
               "check its unit, or leave the cell empty where it is not known");
    }
    return Seconds(value.value_or(0) * 1e-6);
  }
  void Complain(std::size_t column, const std::string& text, std::string cure) {
    problems_.push_back({csv_.Where(column),
                         csv_.header()[column],
                         Quoted(csv_.Cell(column)) + text,
                         std::move(cure)});
    wrong_ = true;
  }

 private:
  template <class Reader>
  auto Read(std::string_view name, Reader reader) -> decltype(reader()) {
    try {
      const auto value = reader();
      if (!value) missing_ = name;
      return value;
    } catch (const SpecError& error) {
      problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
      wrong_ = true;
      return std::nullopt;
    }
  }

  CsvReader csv_;
  std::vector<Problem> problems_;
  std::string missing_;
  bool wrong_ = false;
};

constexpr std::array<std::string_view, 3> kGemmShape = {"m", "n", "k"};
constexpr std::array<std::string_view, 4> kAttentionShape = {
    "kv_len", "heads", "kv_heads", "head_dim"};

template <std::size_t N>
bool HasMostOf(const CsvReader& csv, const std::array<std::string_view, N>& names) {
  const auto found = std::count_if(
      names.begin(), names.end(), [&](auto name) { return csv.FindColumn(name).has_value(); });
  return found * 2 > static_cast<std::ptrdiff_t>(N);
}

// A number format that is fitted, else why the row is skipped.
std::optional<DType> FittedFormat(Row& row,
                                  std::string_view column,
                                  const Device& device,
                                  std::string& reason) {
  const std::string& text = row.Text(column);
  const auto dtype = FindDType(text);
  if (!dtype || (*dtype != DType::kBf16 && *dtype != DType::kFp16)) {
    reason = std::string(column) + " " + Printable(text) + ": only bf16 and fp16 are fitted";
    return std::nullopt;
  }
  if (!device.Supports(*dtype)) {
    reason =
        std::string(column) + " " + Printable(text) + ": " + device.name + " has no rate for it";
    return std::nullopt;
  }
  return dtype;
}

void ReadGemm(Row& row, const Device& device, Sample& sample, std::string& reason) {
  Gemm op;
  op.m = row.Size("m");
  op.n = row.Size("n");
  op.k = row.Size("k");
  if (const auto dtype = FittedFormat(row, "dtype", device, reason)) {
    op.math = op.input = op.weights = op.output = *dtype;
  }
  sample.op = op;
  sample.family = Family::kGemm;
  sample.key = std::to_string(op.n) + "," + std::to_string(op.k);
}

void ReadAttention(Row& row, const Device& device, Sample& sample, std::string& reason) {
  Attention op;
  op.batch = row.Size("batch");
  op.queries = row.Size("q_len");
  op.keys = row.Size("kv_len");
  op.heads = row.Size("heads");
  op.kv_heads = row.Size("kv_heads");
  op.head_dim = op.value_dim = row.Size("head_dim");
  op.window = row.Size("window", 0);
  if (!row.wrong() && row.missing().empty()) {
    if (op.keys < op.queries) {
      row.Complain(row.csv().Column("kv_len"), " is less than q_len", "count the new tokens too");
    }
    if (op.heads % op.kv_heads != 0) {
      row.Complain(row.csv().Column("kv_heads"), " does not divide heads", "check both");
    }
  }
  const auto kv = FittedFormat(row, "kv_dtype", device, reason);
  const auto dtype = FittedFormat(row, "dtype", device, reason);
  if (dtype && kv) {
    op.math = op.io = *dtype;
    op.kv = *kv;
  }
  const std::string& phase = row.Text("phase");
  if (phase == "prefill" && op.queries == 1) {
    reason = "phase prefill with q_len 1: predicted as decode";
  } else if (phase == "decode" && op.queries > 1) {
    reason = "phase decode with q_len above 1: predicted as prefill";
  } else if (phase != "prefill" && phase != "decode") {
    reason = "phase " + Printable(phase) + ": only prefill and decode are fitted";
  }
  sample.op = op;
  sample.family = op.queries == 1 ? Family::kDecodeAttention : Family::kPrefillAttention;
  sample.key = std::to_string(op.heads) + "," + std::to_string(op.kv_heads) + "," +
               std::to_string(op.head_dim);
}

bool IsCalled(const Device& device, std::string_view name) {
  const std::string asked = NormaliseName(name);
  if (asked == NormaliseName(device.name)) return true;
  return std::any_of(device.aliases.begin(), device.aliases.end(), [&](const auto& alias) {
    return asked == NormaliseName(alias);
  });
}

std::string WholeRow(const CsvReader& csv) {
  CsvWriter writer(csv.header());
  const std::size_t header = writer.text().size();
  for (std::size_t i = 0; i < csv.header().size(); ++i) writer.Add(csv.Cell(i));
  writer.EndRow();
  return writer.text().substr(header);
}

}  // namespace

void ReadOperators(std::string_view text,
                   const std::string& file,
                   const Device& device,
                   Dataset& dataset) {
  Row row(text, file);
  CsvReader& csv = row.csv();
  const bool is_attention = HasMostOf(csv, kAttentionShape);
  if (!is_attention && !HasMostOf(csv, kGemmShape)) {
    throw SpecError({{{file, 1, 1},
                      "",
                      "no table of operators that can be fitted",
                      "the header needs m, n, k, dtype, latency_us (GEMM) or phase, dtype, "
                      "kv_dtype, batch, q_len, kv_len, heads, kv_heads, head_dim, window, "
                      "latency_us (attention)"}});
  }
  const auto gpu = csv.FindColumn("gpu");
  const auto source = csv.FindColumn("source");
  const std::string base_name = Printable(std::filesystem::path(file).filename().string());
  std::size_t rows = 0;
  while (row.Next()) {
    ++rows;
    Sample sample;
    std::string reason;
    (is_attention ? ReadAttention : ReadGemm)(row, device, sample, reason);
    sample.time = row.Latency();
    if (row.wrong()) continue;
    if (!row.missing().empty()) reason = "no " + row.missing();
    if (gpu && !csv.Cell(*gpu).empty() && !IsCalled(device, csv.Cell(*gpu))) {
      reason = "measured on " + Printable(csv.Cell(*gpu)) + ", not on " + device.name;
    }
    if (!reason.empty()) {
      ++dataset.skipped[reason];
      continue;
    }
    sample.row = WholeRow(csv);
    sample.file = base_name;
    if (source) sample.source = Printable(csv.Cell(*source));
    dataset.samples.push_back(std::move(sample));
  }
  if (!row.problems().empty()) throw SpecError(row.problems());
  if (rows == 0) {
    throw SpecError({{{file, 1, 1}, "", "has a header but no rows", "name a file with rows"}});
  }
}

void LoadOperators(const std::string& path, const Device& device, Dataset& dataset) {
  ReadOperators(ReadUserFile(path).text, path, device, dataset);
}

std::string DataHash(const std::vector<const Sample*>& samples) {
  std::vector<std::string_view> rows;
  rows.reserve(samples.size());
  for (const Sample* sample : samples) rows.push_back(sample->row);
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const std::string_view row : rows) text += row;
  return Sha256(text);
}

}  // namespace roofcast
