// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/form_rows.h"

namespace roofcast {

// An operator's two terms at the datasheet's rates, microseconds.
struct DatasheetTerms {
  double compute = 0;
  double memory = 0;
};
DatasheetTerms DatasheetTermsOf(const Op& op, const Device& device);

// The baseline that every form is compared with, for operators of any kind: one efficiency each
// for computing and memory, the launch, and how well the two overlap,
//   t = t0 + smoothmax_p(work / (e_c P), traffic / (e_m B)),
// with work and traffic as the operator's own roofline counts them. Source: [williams2009roofline].
class RooflineRows final : public FormRows {
 public:
  explicit RooflineRows(const std::vector<const MeasuredRow*>& rows);

  const std::vector<CoefficientInfo>& Infos() const override;
  std::size_t Count() const override { return terms_.size(); }
  double LogTime(std::size_t row, const double* log_coefficients, double* gradient) const override;
  std::string_view RegimeOf(std::size_t /*row*/) const override { return "all"; }
  SizeList SizesOf(std::size_t /*row*/) const override { return {}; }
  // The slower of the two terms at the datasheet's rates, microseconds.
  double DatasheetTime(std::size_t row) const;

 private:
  std::vector<DatasheetTerms> terms_;
};

}  // namespace roofcast
