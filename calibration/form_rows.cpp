// SPDX-License-Identifier: Apache-2.0
#include "calibration/form_rows.h"

#include <ceres/jet.h>

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "models/kernels/forms.h"

namespace roofcast {
namespace {

template <class Form>
typename Form::Kernel KernelFrom(const KernelChoice& choice) {
  typename Form::Kernel kernel;
  std::size_t known = 0;
  auto set = [&](std::string_view name, auto member, auto&&...) {
    const auto found = choice.find(name);
    if (found == choice.end()) return;
    ++known;
    using Value = std::remove_cvref_t<decltype(kernel.*member)>;
    kernel.*member = static_cast<Value>(found->second);
  };
  Form::Kernel::Fields(set);
  if (known != choice.size()) {
    throw ArgumentError(std::string(Form::kName) + ": a kernel choice that the form doesn't have");
  }
  return kernel;
}

template <class Form>
class Rows final : public FormRows {
 public:
  Rows(const std::vector<const MeasuredRow*>& rows, const KernelChoice& choice) {
    const typename Form::Kernel kernel = KernelFrom<Form>(choice);
    features_.reserve(rows.size());
    shapes_.reserve(rows.size());
    for (const MeasuredRow* row : rows) {
      const auto* shape = std::get_if<typename Form::Shape>(&row->op);
      if (shape == nullptr) {
        throw ArgumentError(std::string(Form::kName) + ": a row of another operator");
      }
      shapes_.push_back(*shape);
      features_.push_back(Form::Prepare(*shape, *row->device, kernel));
    }
    infos_.reserve(kWidth);
    auto add = [&](std::string_view name, auto, std::string_view unit, FitRange range, auto&&...) {
      infos_.push_back({name, unit, range});
    };
    Form::template Coefficients<double>::Fields(add);
  }

  const std::vector<CoefficientInfo>& Infos() const override { return infos_; }
  std::size_t Count() const override { return features_.size(); }

  double LogTime(std::size_t row, const double* log_coefficients, double* gradient) const override {
    std::array<double, kWidth> values;
    for (std::size_t i = 0; i < kWidth; ++i) values[i] = std::exp(log_coefficients[i]);
    if (gradient == nullptr) {
      const auto coefficients = FromArray<Form, double>(values.data());
      return std::log(Form::template TimeOf<double>(features_[row], coefficients).time);
    }
    using Jet = ceres::Jet<double, static_cast<int>(kWidth)>;
    std::array<Jet, kWidth> jets;
    for (std::size_t i = 0; i < kWidth; ++i) {
      jets[i] = Jet(values[i]);
      jets[i].v[static_cast<Eigen::Index>(i)] = values[i];  // by the logarithm
    }
    const auto coefficients = FromArray<Form, Jet>(jets.data());
    const Jet time = Form::template TimeOf<Jet>(features_[row], coefficients).time;
    for (std::size_t i = 0; i < kWidth; ++i) {
      gradient[i] = time.v[static_cast<Eigen::Index>(i)] / time.a;
    }
    return std::log(time.a);
  }

  std::string_view RegimeOf(std::size_t row) const override { return Form::RegimeOf(shapes_[row]); }
  SizeList SizesOf(std::size_t row) const override { return Form::SizesOf(shapes_[row]); }

 private:
  static constexpr std::size_t kWidth = kCoefficientCount<Form>;

  std::vector<typename Form::Shape> shapes_;
  std::vector<typename Form::Features> features_;
  std::vector<CoefficientInfo> infos_;
};

template <class... Fs>
std::unique_ptr<FormRows> Find(TypeList<Fs...> /*forms*/,
                               std::string_view form,
                               const std::vector<const MeasuredRow*>& rows,
                               const KernelChoice& kernel) {
  std::unique_ptr<FormRows> found;
  const auto attempt = [&]<class F>(TypeList<F> /*one*/) {
    if (found == nullptr && F::kName == form) found = std::make_unique<Rows<F>>(rows, kernel);
  };
  (attempt(TypeList<Fs>{}), ...);
  return found;
}

}  // namespace

std::unique_ptr<FormRows> PrepareRows(std::string_view form,
                                      const std::vector<const MeasuredRow*>& rows,
                                      const KernelChoice& kernel) {
  auto prepared = Find(Forms{}, form, rows, kernel);
  if (prepared == nullptr) throw ArgumentError("no form '" + std::string(form) + "'");
  return prepared;
}

}  // namespace roofcast
