// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/bound_series.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "core/error.h"
#include "core/text.h"
#include "models/kernels/forms.h"

namespace roofcast {
namespace {

[[noreturn]] void Refuse(const FittedSeries& series, const std::string& text) {
  throw ArgumentError("series " + Printable(series.family) + " " + Printable(series.format) + ": " +
                      text);
}

std::string FormatShort(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

// "2.5 us" as a number, when the unit is the one that the form's field has.
std::optional<double> ParseCoefficient(std::string_view text, std::string_view unit) {
  const std::size_t blank = text.find(' ');
  const std::string_view given = blank == std::string_view::npos ? "" : text.substr(blank + 1);
  if (given != unit) return std::nullopt;
  return ParseNumber(text.substr(0, blank));
}

template <class Form>
typename Form::Kernel KernelOf(const FittedSeries& series) {
  typename Form::Kernel kernel;
  std::size_t known = 0;
  auto set = [&](std::string_view name, auto member, auto&&...) {
    const auto found = series.choices.find(std::string(name));
    if (found == series.choices.end()) return;
    ++known;
    kernel.*member = static_cast<std::remove_cvref_t<decltype(kernel.*member)>>(found->second);
  };
  Form::Kernel::Fields(set);
  if (known != series.choices.size()) Refuse(series, "a choice that the form doesn't have");
  return kernel;
}

template <class Form>
class BoundForm final : public BoundSeries {
 public:
  BoundForm(const FittedSeries& series, std::string_view framework, bool corrected)
      : BoundSeries(series), kernel_(KernelOf<Form>(series)) {
    std::size_t at = 0;
    auto read = [&](std::string_view name, auto, std::string_view unit, FitRange range, auto&&...) {
      const auto found = series.coefficients.find(std::string(name));
      if (found == series.coefficients.end()) {
        Refuse(series, "no coefficient '" + std::string(name) + "'");
      }
      const auto value = ParseCoefficient(found->second, unit);
      constexpr double kSlack = 1e-3;  // of a value at its bound, written with a few digits
      if (!value || *value < range.low * (1 - kSlack) || *value > range.high * (1 + kSlack)) {
        Refuse(series,
               "coefficient '" + std::string(name) + "' is '" + Printable(found->second) +
                   "'; write a number from " + FormatExact(range.low) + " to " +
                   FormatExact(range.high) + (unit.empty() ? "" : " " + std::string(unit)));
      }
      values_[at++] = *value * FactorOf(framework, name);
    };
    Form::template Coefficients<double>::Fields(read);
    if (series.coefficients.size() != kWidth) Refuse(series, "a coefficient too many");
    coefficients_ = FromArray<Form, double>(values_.data());
    ReadCovariance();
    if (corrected && series.residual) {
      field_ = ParsePoints(series.residual->points, series.range.size(), series.residual->length);
    }
  }

  bool Takes(const Op& op) const override {
    return std::holds_alternative<typename Form::Shape>(op);
  }

  double TimeOf(const Op& op, const Device& device) const override {
    const auto& shape = std::get<typename Form::Shape>(op);
    const auto features = Form::Prepare(shape, device, kernel_);
    const double time = Form::template TimeOf<double>(features, coefficients_).time;
    return field_ ? time * std::exp(field_->At(Form::SizesOf(shape))) : time;
  }

  SeriesEstimate EstimateOf(const Op& op, const Device& device) const override {
    const auto& shape = std::get<typename Form::Shape>(op);
    const auto features = Form::Prepare(shape, device, kernel_);
    const SizeList sizes = Form::SizesOf(shape);
    SeriesEstimate estimate;
    estimate.cost = Form::template TimeOf<double>(features, coefficients_);
    if (field_) {
      const double correction = std::exp(field_->At(sizes));
      for (double* term : {&estimate.cost.time,
                           &estimate.cost.intercept,
                           &estimate.cost.compute,
                           &estimate.cost.memory}) {
        *term *= correction;
      }
    }
    estimate.deviation = DeviationAt(features);
    estimate.regime = Form::RegimeOf(shape);
    for (std::size_t i = 0; i < sizes.count; ++i) {
      const auto& [name, value] = sizes.sizes[i];
      const auto range = series_.range.find(std::string(name));
      if (range == series_.range.end()) continue;
      const auto& [low, high] = std::pair{range->second.low, range->second.high};
      if (value >= low && value <= high) continue;
      estimate.beyond += estimate.beyond.empty() ? "" : ", ";
      estimate.beyond += std::string(name) + " " + FormatShort(value) + " is outside " +
                         FormatShort(low) + ".." + FormatShort(high);
    }
    return estimate;
  }

 private:
  static constexpr std::size_t kWidth = kCoefficientCount<Form>;
  using Jet = ceres::Jet<double, static_cast<int>(kWidth)>;

  double FactorOf(std::string_view framework, std::string_view name) const {
    const auto factors = series_.factors.find(std::string(framework));
    if (factors == series_.factors.end()) return 1;
    const auto factor = factors->second.find(std::string(name));
    return factor == factors->second.end() ? 1 : factor->second;
  }

  // Only the coefficients' own rows: a framework's factors are known as well as they.
  void ReadCovariance() {
    const auto numbers = ParseNumbers(series_.covariance);
    const std::size_t least = kWidth * (kWidth + 1) / 2;
    if (!numbers || numbers->size() < least) {
      Refuse(series_,
             "covariance needs a lower triangle of at least " + std::to_string(least) + " numbers");
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        covariance_[i * kWidth + j] = covariance_[j * kWidth + i] = (*numbers)[at++];
      }
    }
  }

  double DeviationAt(const typename Form::Features& features) const {
    std::array<Jet, kWidth> jets;
    for (std::size_t i = 0; i < kWidth; ++i) {
      jets[i] = Jet(values_[i]);
      jets[i].v[static_cast<Eigen::Index>(i)] = values_[i];
    }
    const auto coefficients = FromArray<Form, Jet>(jets.data());
    const Jet time = Form::template TimeOf<Jet>(features, coefficients).time;
    double variance = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t j = 0; j < kWidth; ++j) {
        variance += time.v[static_cast<Eigen::Index>(i)] * covariance_[i * kWidth + j] *
                    time.v[static_cast<Eigen::Index>(j)];
      }
    }
    return std::sqrt(std::max(variance, 0.0)) / time.a;
  }

  typename Form::Kernel kernel_;
  std::array<double, kWidth> values_{};
  std::array<double, kWidth * kWidth> covariance_{};
  typename Form::template Coefficients<double> coefficients_;
};

template <class... Fs>
std::unique_ptr<BoundSeries> BindTo(TypeList<Fs...> /*forms*/,
                                    const FittedSeries& series,
                                    std::string_view framework,
                                    bool corrected) {
  std::unique_ptr<BoundSeries> bound;
  const auto attempt = [&]<class F>(TypeList<F> /*one*/) {
    if (F::kName == series.form)
      bound = std::make_unique<BoundForm<F>>(series, framework, corrected);
  };
  (attempt(TypeList<Fs>{}), ...);
  return bound;
}

template <class... Fs>
std::optional<OpLabel> FindLabel(TypeList<Fs...> /*forms*/, const Op& op) {
  std::optional<OpLabel> label;
  const auto attempt = [&]<class F>(TypeList<F> /*one*/) {
    if (label) return;
    const auto* shape = std::get_if<typename F::Shape>(&op);
    if (shape != nullptr) label = OpLabel{F::FamilyOf(*shape), F::FormatOf(*shape)};
  };
  (attempt(TypeList<Fs>{}), ...);
  return label;
}

}  // namespace

std::unique_ptr<BoundSeries> BoundSeries::Bind(const FittedSeries& series,
                                               std::string_view framework,
                                               bool corrected) {
  auto bound = BindTo(Forms{}, series, framework, corrected);
  if (bound == nullptr) Refuse(series, "no form '" + Printable(series.form) + "'");
  return bound;
}

std::optional<OpLabel> LabelOf(const Op& op) {
  return FindLabel(Forms{}, op);
}

}  // namespace roofcast
