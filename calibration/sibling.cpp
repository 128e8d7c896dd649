// SPDX-License-Identifier: Apache-2.0
#include "calibration/sibling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "calibration/spread.h"
#include "core/error.h"
#include "models/fit_choice.h"

namespace roofcast {
namespace {

// Rows of one family on the new device: residuals, and the interval that the sibling's fit gives.
struct Judged {
  Residuals residuals;
  std::vector<double> below;  // distances of the logarithm
  std::vector<double> above;
};

double CoverageAt(const Judged& judged, double widening) {
  constexpr double kFivePercent = 1.645;
  std::size_t held = 0;
  for (std::size_t i = 0; i < judged.residuals.size(); ++i) {
    const double low = -std::hypot(judged.below[i], kFivePercent * widening);
    const double high = std::hypot(judged.above[i], kFivePercent * widening);
    if (judged.residuals[i] >= low && judged.residuals[i] <= high) ++held;
  }
  return 100 * static_cast<double>(held) / static_cast<double>(judged.residuals.size());
}

// The least widening with which 90 % of the rows are held.
double WideningOf(const Judged& judged) {
  constexpr double kWanted = 90;
  if (CoverageAt(judged, 0) >= kWanted) return 0;
  double low = 0;
  double high = 4;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (CoverageAt(judged, middle) >= kWanted ? high : low) = middle;
  }
  return high;
}

MeasuredRows RowsOf(const MeasuredRows& rows, const std::string& device) {
  MeasuredRows of;
  for (const MeasuredRow& row : rows.rows) {
    if (row.device->name == device) of.rows.push_back(row);
  }
  return of;
}

void Judge(const SeriesFit& fit, const Series& series, Judged& out) {
  const Residuals residuals = PredictOther(fit, series);
  const auto spreads = SpreadOfResiduals(fit.Best(), fit.regimes);
  const auto form = PrepareRows(fit.form, series.rows, fit.kernel);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const RegimeSpread* spread = &spreads.front();
    for (const RegimeSpread& one : spreads) {
      if (one.regime == form->RegimeOf(i)) spread = &one;
    }
    out.residuals.push_back(residuals[i]);
    out.below.push_back(std::max(0.0, -std::log(spread->low)));
    out.above.push_back(std::max(0.0, std::log(spread->high)));
  }
}

void JudgePair(const Calibration& from, const MeasuredRows& on, std::vector<SiblingError>& out) {
  std::map<std::string, Judged> families;
  for (const Series& series : DealSeries(on.rows)) {
    for (const SeriesReport& report : from.series) {
      if (report.name == series.Name()) Judge(report.fit, series, families[report.family]);
    }
  }
  for (const auto& [family, judged] : families) {
    out.push_back({from.name,
                   on.rows.front().device->name,
                   family,
                   SummariseResiduals(judged.residuals),
                   CoverageAt(judged, 0),
                   WideningOf(judged)});
  }
}

}  // namespace

std::vector<SiblingError> JudgeSiblings(const MeasuredRows& rows, const CalibrateOptions& options) {
  std::map<std::string, std::shared_ptr<const Device>> devices;
  for (const MeasuredRow& row : rows.rows) devices.emplace(row.device->name, row.device);
  std::vector<SiblingError> errors;
  for (const auto& [name, device] : devices) {
    std::vector<std::string> siblings;
    for (const auto& [other, spec] : devices) {
      if (other != name && AreSiblings(*device, *spec)) siblings.push_back(other);
    }
    if (siblings.empty()) continue;
    try {
      const Calibration from = Calibrate(RowsOf(rows, name), *device, options);
      for (const std::string& other : siblings) JudgePair(from, RowsOf(rows, other), errors);
    } catch (const ArgumentError&) {
      continue;  // too few rows of this device: it is nobody's sibling
    }
  }
  return errors;
}

}  // namespace roofcast
