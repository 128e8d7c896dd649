// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/family_plan.h"
#include "calibration/form_rows.h"
#include "calibration/measured_row.h"
#include "hardware/device.h"
#include "models/fitted_series.h"
#include "models/kernels/residual_field.h"
#include "models/validation/error_summary.h"

namespace roofcast {

// Rows that share one set of coefficients.
struct Series {
  const FamilyPlan* plan = nullptr;
  std::string format;
  std::string framework;  // "" where frameworks are pooled
  std::string kernel;     // as the table calls it; "" where pooled
  std::vector<const MeasuredRow*> rows;
  bool by_finer_key = false;   // too few keys to leave one out
  bool by_generation = false;  // architectures are left out instead, for devices nobody measured
  // Of a small series: rows of all series of its kin, its own among them; see FamilyPlan.
  std::vector<const MeasuredRow*> kin;

  const std::string& KeyOf(std::size_t row) const {
    return by_finer_key ? rows[row]->finer_key : rows[row]->key;
  }
  std::string Name() const;  // "gemm bf16", "prefill bf16, kv fp8 vllm"
};

// Fewest keys that a series is cross-validated by.
inline constexpr std::size_t kLeastKeys = 4;

// Fewest rows with which a series needs no kin, and most that it takes from them.
inline constexpr std::size_t kFewRows = 60;
inline constexpr std::size_t kMostKin = 500;

// All rows of families with a plan, dealt out by family, format and, unless the plan pools them,
// framework and kernel.
std::vector<Series> DealSeries(const std::vector<MeasuredRow>& rows);

// Logarithms of measured / predicted, one for each row of a series.
using Residuals = std::vector<double>;

struct SeriesFit {
  std::string form;
  KernelChoice kernel;
  std::vector<CoefficientInfo> infos;
  std::vector<std::string> groups;        // frameworks; the first is the reference
  std::vector<std::size_t> group_fields;  // coefficients that the others multiply
  std::vector<double> parameters;         // logarithms; see FitTask
  std::vector<double> covariance;         // of these, row by row
  int starts = 1;
  int agreeing_starts = 1;           // that ended at the same cost within 1 %
  ResidualField field;               // a smooth correction on top, fitted to the residuals
  std::vector<std::string> regimes;  // of each row
  std::map<std::string, SizeRange> range;

  Residuals in_sample;
  Residuals held_out;            // each row by a fit that has not seen its key
  Residuals held_out_corrected;  // the same with a correction that has not seen it either
  Residuals datasheet;           // the slower of work and traffic at the peaks
  Residuals held_out_roofline;   // two efficiencies, a launch and an overlap, fitted alike

  // Whether the correction lowers the cross-validated error, so that it is used.
  bool IsCorrected() const;
  const Residuals& Best() const { return IsCorrected() ? held_out_corrected : held_out; }
};

SeriesFit FitSeries(const Series& series);

// What a fit to other rows (of a sibling device, say) says of these.
Residuals PredictOther(const SeriesFit& fit, const Series& series);

// Errors in percent of the measured times.
ErrorSummary SummariseResiduals(const Residuals& residuals);

}  // namespace roofcast
