// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/forward_result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "calibration/bench/report.h"
#include "core/error.h"
#include "core/table.h"
#include "core/units.h"

namespace roofcast::bench {
namespace {

std::string Written(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// The median over runs of a figure of one pass.
template <class Figure>
double MedianOf(const std::vector<EndToEndRun>& runs, std::size_t pass, const Figure& figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const EndToEndRun& run : runs) values.push_back(figure(run.forwards[pass]));
  return Median(std::move(values));
}

std::string PassTable(const std::vector<EndToEndRun>& runs) {
  Table table({{"model", Align::kLeft},
               {"pass", Align::kLeft},
               {"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"error", Align::kRight}});
  for (std::size_t i = 0; i < runs.front().forwards.size(); ++i) {
    const ForwardResult& one = runs.front().forwards[i];
    const auto measured =
        MedianOf(runs, i, [](const ForwardResult& f) { return f.measured.value(); });
    const auto predicted =
        MedianOf(runs, i, [](const ForwardResult& f) { return f.predicted.value(); });
    const auto error = MedianOf(runs, i, [](const ForwardResult& f) { return f.Error(); });
    table.AddRow({one.model,
                  one.pass,
                  Format(Seconds(measured)),
                  Format(Seconds(predicted)),
                  Written("%+.1f %%", 100 * error)});
  }
  return table.Text(2);
}

std::string Verdict(const std::vector<EndToEndRun>& runs) {
  const double mape = MapeOf(runs);
  std::string text = "MAPE over passes ";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == runs.size() ? " and " : ", ") + Written("%.1f", runs[i].Mape());
  }
  std::size_t covered = 0;
  std::size_t passes = 0;
  for (const EndToEndRun& run : runs) {
    passes += run.forwards.size();
    for (const ForwardResult& forward : run.forwards) covered += forward.IsCovered() ? 1 : 0;
  }
  text += " % in " + std::to_string(runs.size()) + " runs, median " + Written("%.1f", mape) +
          " %; " + std::to_string(covered) + " of " + std::to_string(passes) +
          " inside their 90 % intervals";
  if (mape <= kMostMape) return text + ": within " + Written("%.0f", kMostMape) + " %.\n";
  const bool quiet = std::all_of(
      runs.begin(), runs.end(), [](const EndToEndRun& run) { return run.noise.IsQuiet(); });
  if (!quiet) return text + ": the machine was not quiet, so this says nothing of the model.\n";
  return text + ", on a quiet machine: the forms don't describe this processor.\n";
}

}  // namespace

double EndToEndRun::Mape() const {
  ROOFCAST_CHECK(!forwards.empty());
  double sum = 0;
  for (const ForwardResult& forward : forwards) sum += std::abs(forward.Error());
  return 100 * sum / static_cast<double>(forwards.size());
}

double MapeOf(const std::vector<EndToEndRun>& runs) {
  std::vector<double> errors;
  errors.reserve(runs.size());
  for (const EndToEndRun& run : runs) errors.push_back(run.Mape());
  return Median(std::move(errors));
}

std::string FormatEndToEnd(const EndToEnd& result) {
  std::string text;
  for (const auto& [dtype, runs] : result.runs) {
    text += "Transformers in " + std::string(NameOf(dtype)) + ", medians of " +
            std::to_string(runs.size()) + " runs\n\n" + PassTable(runs) + "\n" + Verdict(runs);
    text += "Operators, cross-validated:";
    for (const auto& [series, error] : runs.back().operator_errors) {
      text += (series == runs.back().operator_errors.begin()->first ? " " : ", ") + series + " " +
              Written("%.1f %%", error);
    }
    text += ".\n" + Describe(runs.back().noise) + "\n";
  }
  return text;
}

Json ToJson(const EndToEnd& result) {
  Json formats = Json::array();
  for (const auto& [dtype, runs] : result.runs) {
    Json list = Json::array();
    for (const EndToEndRun& run : runs) {
      Json passes = Json::array();
      for (const ForwardResult& forward : run.forwards) {
        passes.push_back({{"model", forward.model},
                          {"pass", forward.pass},
                          {"measured_s", forward.measured.value()},
                          {"predicted_s", forward.predicted.value()},
                          {"interval_s", {forward.low.value(), forward.high.value()}},
                          {"error_percent", 100 * forward.Error()}});
      }
      list.push_back({{"mape_percent", run.Mape()},
                      {"noise", ToJson(run.noise)},
                      {"operator_errors_percent", run.operator_errors},
                      {"passes", std::move(passes)}});
    }
    formats.push_back({{"dtype", NameOf(dtype)},
                       {"mape_percent", MapeOf(runs)},
                       {"within", MapeOf(runs) <= kMostMape},
                       {"runs", std::move(list)}});
  }
  return formats;
}

}  // namespace roofcast::bench
