// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/step_predictor.h"

#include <cmath>
#include <variant>

#include "core/error.h"
#include "core/scalar.h"
#include "models/kernels/cpu_attention.h"
#include "models/kernels/cpu_gemm.h"
#include "models/kernels/cpu_pass.h"

namespace roofcast::bench {
namespace {

// The operator with the words by which fits are found. A lookup is a pass that reads and writes
// each row once.
MeasuredRow RowOf(const Op& op) {
  MeasuredRow row;
  row.op = op;
  if (const auto* lookup = std::get_if<Embedding>(&op)) {
    Elementwise pass;
    pass.traffic = 2 * Number(lookup->tokens) * Number(lookup->width) * BytesOf(lookup->dtype);
    row.op = pass;
  }
  if (const auto* gemm = std::get_if<Gemm>(&row.op)) {
    row.family = CpuGemm::FamilyOf(*gemm);
    row.format = CpuGemm::FormatOf(*gemm);
  } else if (const auto* core = std::get_if<Attention>(&row.op)) {
    row.family = CpuAttention::FamilyOf(*core);
    row.format = CpuAttention::FormatOf(*core);
  } else if (const auto* pass = std::get_if<Elementwise>(&row.op)) {
    row.family = CpuPass::FamilyOf(*pass);
    row.format = CpuPass::FormatOf(*pass);
  }
  return row;
}

}  // namespace

StepPredictor::StepPredictor(const std::vector<MeasuredRow>& rows, const Device& device)
    : device_(device) {
  for (const Series& series : DealSeries(rows, device)) {
    const SeriesFit fit = FitSeries(series, device);
    fits_[{std::string(series.plan->family), series.format}] = {
        fit.form,
        fit.kernel,
        {fit.parameters.begin(),
         fit.parameters.begin() + static_cast<std::ptrdiff_t>(fit.infos.size())}};
    errors_[series.Name()] = fit.cross_validated.mape;
  }
}

Seconds StepPredictor::TimeOf(const Op& op) const {
  const MeasuredRow row = RowOf(op);
  const auto found = fits_.find({row.family, row.format});
  if (found == fits_.end()) {
    throw ArgumentError("no measured rows of " + row.family + " " + row.format +
                        ", which the model needs");
  }
  const Fitted& fit = found->second;
  const auto prepared = PrepareRows(fit.form, {&row}, device_, fit.kernel);
  return Seconds(1e-6 * std::exp(prepared->LogTime(0, fit.coefficients.data(), nullptr)));
}

Seconds StepPredictor::Predict(const Llm& llm, DType dtype, const Pass& pass) const {
  Precision precision;
  precision.weights = precision.activations = precision.residual = precision.kv = dtype;
  const Plan alone;
  Seconds time;
  const auto add = [&](const WorkList& work, std::int64_t times) {
    for (const Work& one : work) time += Number(times) * TimeOf(std::get<Op>(one.what));
  };
  add(EmbeddingForward(llm, alone, precision, pass), 1);
  const std::vector<std::int64_t> counts = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    add(LayerForward(llm, llm.kinds[kind], alone, precision, pass), counts[kind]);
  }
  add(HeadForward(llm, alone, precision, pass), 1);
  return time;
}

}  // namespace roofcast::bench
