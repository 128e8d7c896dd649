// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "cli/number_list.h"
#include "cli/run.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/output.h"
#include "core/table.h"
#include "core/text.h"
#include "core/units.h"
#include "hardware/catalog.h"
#include "models/llm/config.h"
#include "models/steps/flops_report.h"
#include "models/steps/json.h"
#include "models/steps/report_text.h"

namespace roofcast::cli {
namespace {

FlopsLoad LoadOf(const Arguments& arguments) {
  FlopsLoad load;
  const std::vector<std::int64_t> lengths = ParseNumberList("sequence", arguments.Get("sequence"));
  std::int64_t batch = 1;
  if (arguments.Has("batch")) {
    const auto values = ParseNumberList("batch", arguments.Get("batch"));
    batch = values.front();
    if (values.size() != 1 || batch < 1 || batch > kMostRows) {
      throw ArgumentError("batch: needs one whole number from 1 to " + std::to_string(kMostRows));
    }
  }
  for (std::int64_t i = 0; i < batch; ++i) {
    load.lengths.insert(load.lengths.end(), lengths.begin(), lengths.end());
    if (load.lengths.size() > static_cast<std::size_t>(kMostRows)) break;  // refused below
  }
  const std::string recompute = arguments.Has("recompute") ? arguments.Get("recompute") : "none";
  if (recompute == "full") {
    load.repeated = RepeatedWork::kLayers;
  } else if (recompute == "selective") {
    load.repeated = RepeatedWork::kScores;
  } else if (recompute != "none") {
    throw ArgumentError("recompute: unknown " + Quoted(recompute) +
                        "; use none, selective or full");
  }
  return load;
}

std::optional<MeasuredRate> RateOf(const Arguments& arguments) {
  const bool measured = arguments.Has("tokens-per-second");
  if (measured != arguments.Has("device")) {
    throw ArgumentError(measured ? "device: is missing; tokens-per-second is judged against the "
                                   "peak of one"
                                 : "tokens-per-second: is missing; without it a device is of no "
                                   "use here");
  }
  if (!measured) return std::nullopt;
  MeasuredRate rate;
  rate.device = LoadDevice(arguments.Get("device"));
  const std::string text = arguments.Get("tokens-per-second");
  const auto number = ParseNumber(text);
  if (!number) throw ArgumentError("tokens-per-second: " + Quoted(text) + " is not a number");
  rate.tokens_per_s_per_device = *number;
  if (arguments.Has("dtype")) {
    const auto dtype = FindDType(arguments.Get("dtype"));
    if (!dtype) throw ArgumentError("dtype: unknown " + Quoted(arguments.Get("dtype")));
    rate.dtype = *dtype;
  }
  return rate;
}

std::string Share(Flops part, Flops whole) {
  return whole > Flops(0) ? FormatPercent(part / whole) : "";
}

std::string Text(const FlopsReport& report, bool quiet) {
  const auto sequences = static_cast<std::int64_t>(report.lengths.size());
  std::string text = "flops  " + Printable(report.model) + ", " +
                     FormatCounted(sequences, "sequence") + ", " + std::to_string(report.tokens) +
                     " tokens\n\n";
  if (!quiet) {
    const ForwardFlops& forward = report.forward;
    const Flops whole = forward.products + forward.causal_scores + forward.recurrence;
    Table parts({{"forward pass"}, {"work", Align::kRight}, {"share", Align::kRight}});
    for (const auto& [part, flops] : forward.products_by_part) {
      parts.AddRow({part + " products", Format(flops), Share(flops, whole)});
    }
    parts.AddRow({"attention scores, causal",
                  Format(forward.causal_scores),
                  Share(forward.causal_scores, whole)});
    if (forward.recurrence > Flops(0)) {
      parts.AddRow(
          {"recurrent states", Format(forward.recurrence), Share(forward.recurrence, whole)});
    }
    text += parts.Text() + "\n";
  }
  const bool rated = report.conventions.front().mfu.has_value();
  std::vector<TableColumn> columns = {{"forward and backward"},
                                      {"model", Align::kRight},
                                      {"hardware", Align::kRight},
                                      {"a token", Align::kRight}};
  if (rated) {
    columns.push_back({"MFU", Align::kRight});
    columns.push_back({"HFU", Align::kRight});
  }
  Table table(std::move(columns));
  for (const FlopsByConvention& row : report.conventions) {
    std::vector<std::string> cells = {row.convention,
                                      Format(row.model),
                                      Format(row.hardware),
                                      Format(row.model / static_cast<double>(report.tokens))};
    if (rated) {
      cells.push_back(FormatPercent(*row.mfu));
      cells.push_back(FormatPercent(*row.hfu));
    }
    table.AddRow(std::move(cells));
  }
  text += table.Text();
  if (!quiet) {
    text +=
        "\nP: active parameters without the input embedding; M: those in matrix products; N: "
        "all active.\n12Lhs: attention over all pairs; 6Lhs: over those that a causal mask "
        "leaves.\n";
  }
  return text;
}

std::string Csv(const FlopsReport& report) {
  CsvWriter csv({"convention", "model_flop", "hardware_flop", "mfu", "hfu"});
  for (const FlopsByConvention& row : report.conventions) {
    csv.Add(row.convention).Add(row.model.value()).Add(row.hardware.value());
    csv.Add(row.mfu ? FormatExact(*row.mfu) : "").Add(row.hfu ? FormatExact(*row.hfu) : "");
    csv.EndRow();
  }
  return csv.text();
}

Json Document(const FlopsReport& report) {
  Json json = DocumentHeader("flops");
  json.update(ToJson(report));
  return json;
}

}  // namespace

int RunFlops(const Verb& /*verb*/, const Arguments& arguments) {
  const OutputFormat format = FormatOf(arguments);
  const FlopsLoad load = LoadOf(arguments);
  const std::optional<MeasuredRate> rate = RateOf(arguments);
  const FlopsReport report = ReportFlops(LoadLlm(arguments.Get("model")), load, rate);
  WriteOutput(arguments.Get("output"),
              format == OutputFormat::kJson  ? FormatJson(Document(report))
              : format == OutputFormat::kCsv ? Csv(report)
                                             : Text(report, arguments.Has("quiet")));
  return kSuccess;
}

}  // namespace roofcast::cli
