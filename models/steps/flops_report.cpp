// SPDX-License-Identifier: Apache-2.0
#include "models/steps/flops_report.h"

#include "core/error.h"
#include "core/scalar.h"
#include "models/steps/settle.h"

namespace roofcast {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;  // of a sequence
constexpr std::size_t kMostSequences = 100'000;

void CheckLoad(const FlopsLoad& load) {
  if (load.lengths.empty() || load.lengths.size() > kMostSequences) {
    throw ArgumentError("lengths: " + std::to_string(load.lengths.size()) +
                        " sequences; give from 1 to " + std::to_string(kMostSequences));
  }
  for (const std::int64_t length : load.lengths) RequireRange("lengths", length, 1, kMostTokens);
}

void CheckRate(const MeasuredRate& rate) {
  if (rate.tokens_per_s_per_device > 0 && rate.tokens_per_s_per_device < 1e15) return;
  throw ArgumentError("tokens-per-second: needs a positive number, of one device");
}

}  // namespace

FlopsReport ReportFlops(const Llm& llm,
                        const FlopsLoad& load,
                        const std::optional<MeasuredRate>& rate) {
  CheckLoad(load);
  FlopsReport report;
  report.model = llm.name;
  report.lengths = load.lengths;
  for (const std::int64_t length : load.lengths) report.tokens += length;
  report.forward = CountForwardFlops(llm, load.lengths);
  for (const std::string& name : FlopsConventions()) {
    FlopsByConvention row;
    row.convention = name;
    row.model = TrainingFlops(llm, load.lengths, name);
    row.hardware = HardwareFlops(llm, load.lengths, name, load.repeated);
    if (rate) {
      CheckRate(*rate);
      const double per_token = rate->tokens_per_s_per_device / Number(report.tokens);
      const FlopRate peak = rate->device.PeakOf(rate->dtype);
      row.mfu = row.model * per_token / Seconds(1) / peak;
      row.hfu = row.hardware * per_token / Seconds(1) / peak;
    }
    report.conventions.push_back(std::move(row));
  }
  return report;
}

Json ToJson(const FlopsReport& report) {
  Json forward = {{"scores_flop", report.forward.scores.value()},
                  {"causal_scores_flop", report.forward.causal_scores.value()},
                  {"recurrence_flop", report.forward.recurrence.value()},
                  {"products_flop", report.forward.products.value()},
                  {"products_flop_by_part", Json::object()}};
  for (const auto& [part, flops] : report.forward.products_by_part) {
    forward["products_flop_by_part"][part] = flops.value();
  }
  Json json = {{"model", report.model},
               {"lengths", report.lengths},
               {"tokens", report.tokens},
               {"forward", std::move(forward)},
               {"conventions", Json::array()}};
  for (const FlopsByConvention& row : report.conventions) {
    json["conventions"].push_back({{"name", row.convention},
                                   {"model_flop", row.model.value()},
                                   {"hardware_flop", row.hardware.value()},
                                   {"mfu", row.mfu ? Json(*row.mfu) : Json(nullptr)},
                                   {"hfu", row.hfu ? Json(*row.hfu) : Json(nullptr)}});
  }
  return json;
}

}  // namespace roofcast
