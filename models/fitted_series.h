// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"

namespace roofcast {

// What a fitted family is called when a device has no fit of its own: whose coefficients it takes.
enum class Transfer : std::uint8_t {
  kOwn,         // fitted on this device
  kSibling,     // of another device of the same architecture, with this one's datasheet
  kGeneration,  // pooled over other architectures
};
template <>
struct EnumNames<Transfer> {
  static constexpr std::array<std::pair<Transfer, std::string_view>, 3> kNames = {{
      {Transfer::kOwn, "own"},
      {Transfer::kSibling, "sibling"},
      {Transfer::kGeneration, "generation"},
  }};
};

// Where 90 % of measurements lie, as ratios to the prediction, among rows of one regime that the
// fit had not seen.
struct RegimeSpread {
  std::string regime;
  std::int64_t rows = 0;
  double low = 0;
  double high = 0;

  template <class V>
  static void Fields(V& v) {
    v("regime", &RegimeSpread::regime, "the form's word for it; 'all' for the whole series");
    v("rows", &RegimeSpread::rows, "measurements", FieldRule::kNoSource);
    v("low", &RegimeSpread::low, "5 % of measured / predicted are below", FieldRule::kNoSource);
    v("high", &RegimeSpread::high, "5 % are above", FieldRule::kNoSource);
  }
};

// Smallest and largest of a size among the fitted rows.
struct SizeRange {
  double low = 0;
  double high = 0;

  template <class V>
  static void Fields(V& v) {
    v("low", &SizeRange::low, "smallest fitted", FieldRule::kNoSource);
    v("high", &SizeRange::high, "largest fitted", FieldRule::kNoSource);
  }
};

// Errors of predictions in percent of the measured time.
struct FitErrors {
  double mape = 0;
  double median = 0;
  double p90 = 0;

  template <class V>
  static void Fields(V& v) {
    v("mape", &FitErrors::mape, "mean of |e|, %", FieldRule::kNoSource);
    v("median", &FitErrors::median, "median of |e|, %", FieldRule::kNoSource);
    v("p90", &FitErrors::p90, "90th percentile of |e|, %", FieldRule::kNoSource);
  }
};

// A smooth correction of a form: see residual_field.h.
struct FittedResidual {
  double length = 0;
  std::string points;  // for each inducing point its sizes in the form's order, then its weight
  FitErrors cross_validated;

  template <class V>
  static void Fields(V& v) {
    v("length", &FittedResidual::length, "octaves it reaches", FieldRule::kNoSource);
    v("cross_validated", &FittedResidual::cross_validated, "errors of form and correction");
  }
};

// One form's coefficients for one family and number format on one device, with everything that
// says how sure they are. Long rows of numbers (covariance, points) stand in the fit file's second
// YAML document, a map for each series in their order, so that a prediction doesn't parse them all.
struct FittedSeries {
  std::string family;
  std::string format;
  std::optional<std::string> framework;  // none: frameworks are pooled
  std::optional<std::string> kernel;
  std::string form;
  std::map<std::string, std::int64_t> choices;
  std::map<std::string, std::string> coefficients;
  std::map<std::string, std::map<std::string, double>> factors;
  // Of the logarithms of coefficients, then factors, in the form's order: lower triangle by rows.
  std::string covariance;
  std::vector<RegimeSpread> spread;
  std::map<std::string, SizeRange> range;
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  std::string data_hash;
  FitErrors in_sample;
  FitErrors cross_validated;
  std::optional<FittedResidual> residual;

  template <class V>
  static void Fields(V& v) {
    v("family", &FittedSeries::family, "gemm, prefill, decode, moe, ...");
    v("format", &FittedSeries::format, "number formats: bf16, fp8_block, ...");
    v("framework", &FittedSeries::framework, "whose kernels; left out where all are pooled");
    v("kernel", &FittedSeries::kernel, "the measurement's word for the kernel");
    v("form", &FittedSeries::form, "the equation; see the formulas");
    v("choices", &FittedSeries::choices, "its kernel's tiles and rules", FieldRule::kChoice);
    v("coefficients", &FittedSeries::coefficients, "by name, with their units");
    v("factors",
      &FittedSeries::factors,
      "by framework: what it multiplies coefficients by",
      FieldRule::kNoSource);
    v("spread", &FittedSeries::spread, "of measured / predicted, by regime");
    v("range", &FittedSeries::range, "of each size among the fitted rows");
    v("rows", &FittedSeries::rows, "measurements fitted; its source is that of the whole series");
    v("keys", &FittedSeries::keys, "different shapes among them", FieldRule::kNoSource);
    v("data_hash", &FittedSeries::data_hash, "sha256 over the sorted rows");
    v("in_sample", &FittedSeries::in_sample, "errors on the fitted rows");
    v("cross_validated",
      &FittedSeries::cross_validated,
      "errors on rows of shapes left out, five folds");
    v("residual", &FittedSeries::residual, "a smooth correction, where it pays");
  }
};

// What taking over another device's coefficients costs in one family: spread of the logarithm of
// measured / predicted beyond that of the fit itself, from leaving devices out.
// The spread of a pooled fit holds what another architecture costs already.
struct TransferError {
  double sibling = 0;

  template <class V>
  static void Fields(V& v) {
    v("sibling", &TransferError::sibling, "same architecture", FieldRule::kNoSource);
  }
};

}  // namespace roofcast
