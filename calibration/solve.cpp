// SPDX-License-Identifier: Apache-2.0
#include "calibration/solve.h"

#include <ceres/ceres.h>
#include <glog/logging.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string_view>

namespace roofcast {
namespace {

// Ceres reports through glog, to stderr, also when its own logging is silent.
void SilenceCeres() {
  static const bool silent = [] {
    FLAGS_minloglevel = google::GLOG_FATAL;
    return true;
  }();
  static_cast<void>(silent);
}

constexpr double kLargestFactor = 4;  // between two frameworks

// Place of a group's factor among the parameters.
std::size_t FactorAt(const FitTask& task, std::size_t group, std::size_t field) {
  return task.rows->Infos().size() + (group - 1) * task.group_fields.size() + field;
}

// The derivative by the coefficients, as one by all parameters.
void Spread(const FitTask& task, std::size_t group, const double* by_coefficient, double* out) {
  const std::size_t width = task.rows->Infos().size();
  std::fill_n(out, task.ParameterCount(), 0.0);
  std::copy_n(by_coefficient, width, out);
  if (group == 0) return;
  for (std::size_t i = 0; i < task.group_fields.size(); ++i) {
    out[FactorAt(task, group, i)] = by_coefficient[task.group_fields[i]];
  }
}

// Weighted residual of one row, and derivative by all parameters when wanted.
double ResidualOf(const FitTask& task,
                  std::size_t row,
                  const std::vector<double>& parameters,
                  double* gradient) {
  const std::size_t group = task.group[row];
  const double weight = task.weights.empty() ? 1 : task.weights[row];
  const std::vector<double> at = task.LogCoefficients(parameters, group);
  if (gradient == nullptr) {
    return weight * (task.rows->LogTime(row, at.data(), nullptr) - task.log_times[row]);
  }
  std::vector<double> by_coefficient(at.size());
  const double time = task.rows->LogTime(row, at.data(), by_coefficient.data());
  for (double& value : by_coefficient) value *= weight;
  Spread(task, group, by_coefficient.data(), gradient);
  return weight * (time - task.log_times[row]);
}

struct Bounds {
  std::vector<double> low, prior, high;
};

Bounds BoundsOf(const FitTask& task) {
  Bounds bounds;
  for (const CoefficientInfo& info : task.rows->Infos()) {
    bounds.low.push_back(std::log(info.range.low));
    bounds.prior.push_back(std::log(info.range.prior));
    bounds.high.push_back(std::log(info.range.high));
  }
  if (!task.prior.empty()) {
    for (std::size_t i = 0; i < bounds.prior.size(); ++i) {
      bounds.prior[i] = std::clamp(task.prior[i], bounds.low[i], bounds.high[i]);
    }
  }
  const double reach = std::log(kLargestFactor);
  bounds.low.resize(task.ParameterCount(), -reach);
  bounds.prior.resize(task.ParameterCount(), 0);
  bounds.high.resize(task.ParameterCount(), reach);
  return bounds;
}

class RowCost final : public ceres::CostFunction {
 public:
  RowCost(const FitTask& task, std::size_t row) : task_(&task), row_(row) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(task.ParameterCount()));
  }

  bool Evaluate(double const* const* parameters,
                double* residual,
                double** jacobian) const override {
    const std::vector<double> at(parameters[0], parameters[0] + task_->ParameterCount());
    double* gradient = jacobian == nullptr ? nullptr : jacobian[0];
    residual[0] = ResidualOf(*task_, row_, at, gradient);
    return std::isfinite(residual[0]);
  }

 private:
  const FitTask* task_;
  std::size_t row_;
};

std::vector<double> WeightsOf(const FitTask& task) {
  std::vector<double> weights(task.rows->Infos().size(), task.prior_weight);
  weights.resize(task.ParameterCount(), task.factor_weight);
  return weights;
}

class PriorCost final : public ceres::CostFunction {
 public:
  PriorCost(std::vector<double> prior, std::vector<double> weights)
      : prior_(std::move(prior)), weights_(std::move(weights)) {
    set_num_residuals(static_cast<int>(prior_.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(prior_.size()));
  }

  bool Evaluate(double const* const* parameters,
                double* residual,
                double** jacobian) const override {
    const std::size_t count = prior_.size();
    for (std::size_t i = 0; i < count; ++i) {
      residual[i] = weights_[i] * (parameters[0][i] - prior_[i]);
    }
    if (jacobian != nullptr && jacobian[0] != nullptr) {
      std::fill_n(jacobian[0], count * count, 0.0);
      for (std::size_t i = 0; i < count; ++i) jacobian[0][i * count + i] = weights_[i];
    }
    return true;
  }

 private:
  std::vector<double> prior_;
  std::vector<double> weights_;
};

Solution SolveFrom(const FitTask& task,
                   const std::vector<std::size_t>& use,
                   const Bounds& bounds,
                   std::vector<double> x) {
  SilenceCeres();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], bounds.low[i], bounds.high[i]);
  ceres::Problem problem;
  for (const std::size_t row : use) {
    problem.AddResidualBlock(
        new RowCost(task, row), new ceres::SoftLOneLoss(task.robust_width), x.data());
  }
  problem.AddResidualBlock(new PriorCost(bounds.prior, WeightsOf(task)), nullptr, x.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    problem.SetParameterLowerBound(x.data(), static_cast<int>(i), bounds.low[i]);
    problem.SetParameterUpperBound(x.data(), static_cast<int>(i), bounds.high[i]);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 60;
  options.function_tolerance = 1e-6;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  Solution solution;
  solution.usable = summary.IsSolutionUsable();
  solution.cost = solution.usable ? summary.final_cost : std::numeric_limits<double>::infinity();
  solution.parameters = std::move(x);
  return solution;
}

}  // namespace

std::size_t FitTask::ParameterCount() const {
  const std::size_t factors = groups.empty() ? 0 : (groups.size() - 1) * group_fields.size();
  return rows->Infos().size() + factors;
}

std::vector<double> FitTask::LogCoefficients(const std::vector<double>& parameters,
                                             std::size_t in_group) const {
  const auto width = static_cast<std::ptrdiff_t>(rows->Infos().size());
  std::vector<double> at(parameters.begin(), parameters.begin() + width);
  if (in_group == 0) return at;
  for (std::size_t i = 0; i < group_fields.size(); ++i) {
    at[group_fields[i]] += parameters[FactorAt(*this, in_group, i)];
  }
  return at;
}

Solution Solve(const FitTask& task,
               const std::vector<std::size_t>& use,
               int starts,
               const std::vector<double>* first) {
  const Bounds bounds = BoundsOf(task);
  Solution best = SolveFrom(task, use, bounds, first == nullptr ? bounds.prior : *first);
  if (starts < 2) return best;
  std::vector<Solution> all = SolveFromRandom(task, use, starts - 1, 2);
  all.push_back(best);
  for (const Solution& one : all) {
    if (one.usable && (!best.usable || one.cost < best.cost)) best = one;
  }
  constexpr double kSame = 1.01;
  best.starts = starts;
  best.agreeing = static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Solution& one) {
    return one.usable && one.cost <= kSame * best.cost;
  }));
  return best;
}

std::vector<Solution> SolveFromRandom(const FitTask& task,
                                      const std::vector<std::size_t>& use,
                                      int starts,
                                      double spread) {
  const Bounds bounds = BoundsOf(task);
  std::mt19937 random(20260101);  // fits are repeatable
  std::uniform_real_distribution<double> step(-std::log(spread), std::log(spread));
  std::vector<Solution> solutions;
  for (int i = 0; i < starts; ++i) {
    std::vector<double> start = bounds.prior;
    for (double& value : start) value += step(random);
    solutions.push_back(SolveFrom(task, use, bounds, std::move(start)));
  }
  return solutions;
}

std::vector<double> CovarianceAt(const FitTask& task,
                                 const std::vector<std::size_t>& use,
                                 const std::vector<std::string>& keys,
                                 const std::vector<double>& parameters) {
  const Bounds bounds = BoundsOf(task);
  const auto width = static_cast<Eigen::Index>(parameters.size());
  Eigen::MatrixXd bread = Eigen::MatrixXd::Zero(width, width);
  const std::vector<double> weights = WeightsOf(task);
  for (Eigen::Index i = 0; i < width; ++i) {
    bread(i, i) = weights[static_cast<std::size_t>(i)] * weights[static_cast<std::size_t>(i)];
  }
  std::map<std::string_view, Eigen::VectorXd> scores;
  Eigen::VectorXd gradient(width);
  for (const std::size_t row : use) {
    const double residual = ResidualOf(task, row, parameters, gradient.data());
    for (Eigen::Index i = 0; i < width; ++i) {
      const auto at = static_cast<std::size_t>(i);
      constexpr double kTouch = 1e-6;
      const bool stuck =
          parameters[at] < bounds.low[at] + kTouch || parameters[at] > bounds.high[at] - kTouch;
      if (stuck) gradient[i] = 0;
    }
    const double growth = std::hypot(1.0, residual / task.robust_width);
    bread += gradient * gradient.transpose() / (growth * growth * growth);
    auto& score = scores.try_emplace(keys[row], Eigen::VectorXd::Zero(width)).first->second;
    score += residual / growth * gradient;
  }
  Eigen::MatrixXd meat = Eigen::MatrixXd::Zero(width, width);
  for (const auto& [key, score] : scores) meat += score * score.transpose();
  const auto count = static_cast<double>(scores.size());
  if (count > 1) meat *= count / (count - 1);
  const Eigen::MatrixXd inverse = bread.llt().solve(Eigen::MatrixXd::Identity(width, width));
  const Eigen::MatrixXd covariance = inverse * meat * inverse;
  return {covariance.data(), covariance.data() + covariance.size()};
}

}  // namespace roofcast
