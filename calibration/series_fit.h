// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/family_plan.h"
#include "calibration/form_rows.h"
#include "calibration/measured_row.h"
#include "hardware/device.h"
#include "models/validation/error_summary.h"

namespace roofcast {

// Rows that share one set of coefficients.
struct Series {
  const FamilyPlan* plan = nullptr;
  std::string format;
  std::string framework;  // "" where frameworks are pooled
  std::string kernel;     // as the table calls it; "" where pooled
  std::vector<const MeasuredRow*> rows;

  std::string Name() const;  // "gemm bf16", "prefill bf16, kv fp8 vllm"
};

// All rows, dealt out by family, format and, unless the plan pools them, framework and kernel.
std::vector<Series> DealSeries(const std::vector<MeasuredRow>& rows, const Device& device);

struct SeriesFit {
  std::string form;
  KernelChoice kernel;
  std::vector<CoefficientInfo> infos;
  std::vector<std::string> groups;        // frameworks; the first is the reference
  std::vector<std::size_t> group_fields;  // coefficients that the others multiply
  std::vector<double> parameters;         // logarithms; see FitTask
  std::vector<double> covariance;         // of these, row by row
  std::vector<std::size_t> group_of_row;
  // log(measured / predicted) of each row, by the fit and by one that hasn't seen its key.
  std::vector<double> residuals;
  std::vector<double> held_out_residuals;
  std::vector<std::string> regimes;  // of each row
  ErrorSummary in_sample;
  ErrorSummary cross_validated;
};

SeriesFit FitSeries(const Series& series, const Device& device);

// Errors in percent of the measured times.
ErrorSummary SummariseResiduals(const std::vector<double>& residuals);

}  // namespace roofcast
