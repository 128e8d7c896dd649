// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/estimator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "models/kernels/forms.h"

namespace roofcast {
namespace {

constexpr double kMicro = 1e-6;
// Of a normal distribution: 5 % lie beyond so many standard deviations on each side.
constexpr double kFivePercent = 1.645;
// Beyond the fitted range the interval is doubled. Nothing was measured there, so that this is a
// choice, and predictions name the sizes.
constexpr double kBeyondRange = 2;
// Preference of a series for a wanted framework; smaller is better.
int RankOf(const FittedSeries& series, std::string_view wanted) {
  if (!series.framework) return series.factors.contains(std::string(wanted)) ? 0 : 1;
  if (*series.framework == wanted) return 0;
  // The most used engine stands for "no framework in particular".
  const auto usual = std::find(kFrameworks.begin(), kFrameworks.end(), *series.framework);
  return 2 + static_cast<int>(usual - kFrameworks.begin());
}

// Formats whose series cost an operator as its own do: one of the same width and rate, whose
// kernels differ in nothing that takes time.
std::vector<std::string> OwnFormats(const OpLabel& label) {
  if (label.format == "fp16") return {"fp16", "bf16"};
  if (label.format == "bf16") return {"bf16", "fp16"};
  return {label.format};
}

// Formats that stand in where no fit has the own ones: for passes over memory those of kinds that
// walk through it alike; and kernels so little used that all formats were fitted together.
std::vector<std::string> StandIns(const Op& op) {
  std::vector<std::string> formats;
  if (const auto* pass = std::get_if<Elementwise>(&op)) formats = Streaming::FormatsFor(*pass);
  formats.emplace_back("any");
  return formats;
}

double ErrorOf(const FittedSeries& series, bool corrected) {
  return corrected ? series.residual->cross_validated.mape : series.cross_validated.mape;
}

bool WantsCorrection(const FittedSeries& series, const EstimatorOptions& options) {
  if (!series.residual) return false;
  if (options.mode) return *options.mode == EstimateMode::kHybrid;
  return ErrorOf(series, true) < ErrorOf(series, false);
}

const RegimeSpread* SpreadFor(const FittedSeries& series, std::string_view regime) {
  const RegimeSpread* all = nullptr;
  for (const RegimeSpread& spread : series.spread) {
    if (spread.regime == regime) return &spread;
    if (spread.regime == "all") all = &spread;
  }
  return all;
}

// By kind and sizes; number formats that differ meet in one bucket.
template <class... Fs>
std::size_t HashOf(TypeList<Fs...> /*forms*/, const Op& op) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ op.index();
  const auto mix = [&]<class F>(TypeList<F> /*one*/) {
    const auto* shape = std::get_if<typename F::Shape>(&op);
    if (shape == nullptr) return false;
    const SizeList sizes = F::SizesOf(*shape);
    for (std::size_t i = 0; i < sizes.count; ++i) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(sizes.sizes[i].second)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29U;
    }
    return true;
  };
  static_cast<void>((mix(TypeList<Fs>{}) || ...));
  return hash;
}

}  // namespace

std::string KnownFramework(std::string_view name, std::string_view argument) {
  std::vector<std::string> known(kFrameworks.begin(), kFrameworks.end());
  if (std::find(known.begin(), known.end(), name) != known.end()) return std::string(name);
  throw ArgumentError(std::string(argument) + ": no kernels of '" + Printable(name) +
                      "' were measured; use " + JoinWithOr(known));
}

Estimator::Estimator(const Device& device, std::vector<FitChoice> fits, EstimatorOptions options)
    : device_(device), fits_(std::move(fits)), options_(std::move(options)) {}

const Estimate& Estimator::Of(const Op& op) {
  const std::size_t hash = HashOf(Forms{}, op);
  const auto [begin, end] = memo_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (it->second.op == op) return it->second.estimate;
  }
  const Estimate& made = memo_.emplace(hash, Memo{op, Compute(op)})->second.estimate;
  const bool is_new = std::none_of(used_.begin(), used_.end(), [&](const Estimate* one) {
    return one->series == made.series && one->family == made.family;
  });
  if (is_new) used_.push_back(&made);
  return made;
}

const FittedSeries* Estimator::Pick(const Fit& fit,
                                    std::string_view family,
                                    const std::vector<std::string>& formats) const {
  const FittedSeries* best = nullptr;
  for (const std::string& format : formats) {
    for (const FittedSeries& series : fit.series) {
      if (series.family != family || series.format != format) continue;
      const auto rank = [&](const FittedSeries& one) {
        return std::pair{RankOf(one, options_.framework), -one.rows};
      };
      if (best == nullptr || rank(series) < rank(*best)) best = &series;
    }
    if (best != nullptr) break;
  }
  return best;
}

const Estimator::Found& Estimator::FindSeries(const Op& op, const OpLabel& label) {
  std::string name = std::string(label.family) + " " + label.format;
  const auto known = found_.find(name);
  if (known != found_.end()) return known->second;
  Found found;
  for (const std::vector<std::string>& formats : {OwnFormats(label), StandIns(op)}) {
    for (const FitChoice& choice : fits_) {
      if (found.series != nullptr) break;
      const FittedSeries* series = Pick(*choice.fit, label.family, formats);
      if (series == nullptr) continue;
      auto bound =
          BoundSeries::Bind(*series, options_.framework, WantsCorrection(*series, options_));
      if (!bound->Takes(op)) continue;
      bound_.push_back(std::move(bound));
      found = {bound_.back().get(), choice};
    }
  }
  return found_.emplace(std::move(name), std::move(found)).first->second;
}

void Estimator::Widen(const Found& found, const SeriesEstimate& from, Estimate& out) const {
  const FittedSeries& series = found.series->series();
  const RegimeSpread* spread = SpreadFor(series, from.regime);
  double below = spread == nullptr ? std::log(kAssumedFactor) : -std::log(spread->low);
  double above = spread == nullptr ? std::log(kAssumedFactor) : std::log(spread->high);
  // Residuals were taken from fits to other shapes: half a deviation of the coefficients on top.
  below = std::max(below, 0.0) + from.deviation / 2;
  above = std::max(above, 0.0) + from.deviation / 2;
  double extra = 0;
  if (found.choice.transfer == Transfer::kSibling) {
    extra = std::log(kAssumedFactor);  // unless some fit says what siblings showed
    for (const FitChoice& choice : fits_) {
      const auto error = choice.fit->transfer.find(series.family);
      if (error != choice.fit->transfer.end()) extra = kFivePercent * error->second.sibling;
    }
  }
  const double stretch = from.beyond.empty() ? 1 : kBeyondRange;
  out.low = std::exp(-stretch * std::hypot(below, extra));
  out.high = std::exp(stretch * std::hypot(above, extra));
}

Estimate Estimator::Compute(const Op& op) {
  Estimate out;
  const std::optional<OpLabel> label = LabelOf(op);
  const Found* found = label ? &FindSeries(op, *label) : nullptr;
  if (found == nullptr || found->series == nullptr) {
    out.fit = fits_.back().fit.get();
    out.cost = CostOf<double>(op, device_, out.fit->coefficients);
    out.family = PlainFamilyOf(op);
    out.low = 1 / kAssumedFactor;
    out.high = kAssumedFactor;
    return out;
  }
  const SeriesEstimate from = found->series->EstimateOf(op, device_);
  out.fit = found->choice.fit.get();
  out.series = &found->series->series();
  out.family = out.series->family;
  out.transfer = found->choice.transfer;
  out.mode = found->series->is_corrected() ? EstimateMode::kHybrid : EstimateMode::kAnalytical;
  out.expected_error = ErrorOf(*out.series, found->series->is_corrected());
  if (!from.beyond.empty()) {
    beyond_.insert(std::string(out.family) + " " + out.series->format + ": " + from.beyond);
  }
  // What was done, for reports: the operator's own count of work and traffic.
  out.cost = CostOf<double>(op, device_, out.fit->coefficients);
  out.cost.intercept = Seconds(from.cost.intercept * kMicro);
  out.cost.compute = Seconds(from.cost.compute * kMicro);
  out.cost.memory = Seconds(from.cost.memory * kMicro);
  out.cost.time = Seconds(from.cost.time * kMicro);
  out.cost.bound = BoundOf(out.cost);
  Widen(*found, from, out);
  return out;
}

}  // namespace roofcast
