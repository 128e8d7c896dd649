// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/scalar.h"
#include "core/table.h"
#include "core/units.h"

namespace roofcast::bench {
namespace {

// What a line of the summary is about, in the order of the lines.
struct Line {
  Part part;
  DType dtype;
  std::string what;
  friend auto operator<=>(const Line&, const Line&) = default;
};

Bytes BytesRead(const Measured& row) {
  const Case& c = row.what;
  if (c.part == Part::kMemory || c.part == Part::kElementwise) return row.traffic;
  if (c.part == Part::kAttention) {
    return 2 * Number(c.batch) * Number(c.keys) * Number(c.kv_heads) * Number(c.head_dim) *
           BytesOf(c.dtype);
  }
  return Number(c.n) * Number(c.k) * BytesOf(c.dtype);
}

// Products with few rows are a matter of bandwidth.
bool IsOfMemory(const Case& c) {
  switch (c.part) {
    case Part::kGemm:
    case Part::kGemv:
      return c.m == 1;
    case Part::kAttention:
      return c.queries == 1;
    case Part::kMemory:
    case Part::kElementwise:
      break;
  }
  return true;
}

Line LineOf(const Case& c) {
  switch (c.part) {
    case Part::kGemm:
    case Part::kGemv:
      return {Part::kGemm,
              c.dtype,
              c.m == 1 ? "matrix times vector, weights cold"
                       : (c.m < 32 ? "matrix product, 2 to 31 rows"
                                   : "matrix product, 32 rows and more")};
    case Part::kAttention:
      return {c.part, c.dtype, c.queries == 1 ? "decode attention, KV cold" : "prefill attention"};
    case Part::kElementwise:
      return {c.part, c.dtype, std::string(c.op)};
    case Part::kMemory:
      break;
  }
  return {c.part, c.dtype, "memory " + std::string(c.op) + ", by footprint"};
}

std::string Rate(const Measured& row, int threads) {
  const Seconds time = row.repeats.Time(threads);
  return IsOfMemory(row.what) ? Format(BytesRead(row) / time) : Format(row.what.Work() / time);
}

double RateOf(const Measured& row, int threads) {
  const double time = row.repeats.Time(threads).value();
  return (IsOfMemory(row.what) ? BytesRead(row).value() : row.what.Work().value()) / time;
}

}  // namespace

std::string FormatSummary(const std::vector<Measured>& measured, const Setting& setting) {
  const int threads = setting.threads;
  std::map<Line, std::vector<const Measured*>> lines;
  for (const Measured& row : measured) lines[LineOf(row.what)].push_back(&row);
  Table table({{"", Align::kLeft},
               {"format", Align::kLeft},
               {"cases", Align::kRight},
               {"slowest", Align::kRight},
               {"median", Align::kRight},
               {"fastest", Align::kRight},
               {"spread", Align::kRight}});
  for (auto& [line, rows] : lines) {
    std::sort(rows.begin(), rows.end(), [&](const Measured* one, const Measured* other) {
      return RateOf(*one, threads) < RateOf(*other, threads);
    });
    std::vector<double> spreads;
    spreads.reserve(rows.size());
    for (const Measured* row : rows) spreads.push_back(100 * row->repeats.Spread(threads));
    std::string spread = std::to_string(Median(std::move(spreads)));
    spread.resize(spread.find('.') + 2);
    table.AddRow({line.what,
                  std::string(NameOf(line.dtype)),
                  std::to_string(rows.size()),
                  Rate(*rows.front(), threads),
                  Rate(*rows[rows.size() / 2], threads),
                  Rate(*rows.back(), threads),
                  spread + " %"});
  }
  return table.Text();
}

Json ToJson(const std::vector<Measured>& measured, const Setting& setting) {
  Json cases = Json::array();
  for (const Measured& row : measured) {
    const Case& c = row.what;
    Json one = {{"part", NameOf(c.part)}, {"dtype", NameOf(c.dtype)}};
    if (c.part == Part::kGemm || c.part == Part::kGemv) {
      one.update({{"m", c.m}, {"n", c.n}, {"k", c.k}});
    } else if (c.part == Part::kAttention) {
      one.update({{"batch", c.batch},
                  {"queries", c.queries},
                  {"keys", c.keys},
                  {"heads", c.heads},
                  {"kv_heads", c.kv_heads},
                  {"head_dim", c.head_dim}});
    } else {
      one.update({{"op", c.op}, {"rows", c.rows}, {"columns", c.columns}});
      one["traffic_bytes"] = row.traffic.value();
    }
    one["time_s"] = row.repeats.Time(setting.threads).value();
    one["spread"] = row.repeats.Spread(setting.threads);
    one["repeats"] = row.repeats.timings.size();
    cases.push_back(std::move(one));
  }
  return cases;
}

Json ToJson(const Noise& noise) {
  return {{"quiet", noise.IsQuiet()},
          {"spread", noise.spread},
          {"worst_spread", noise.worst},
          {"wall_over_processor_time", noise.busy},
          {"drift", noise.drift}};
}

}  // namespace roofcast::bench
