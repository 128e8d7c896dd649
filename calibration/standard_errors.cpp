// SPDX-License-Identifier: Apache-2.0
#include "calibration/standard_errors.h"

#include <ceres/jet.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "calibration/residual.h"

namespace roofcast {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// The inverse of a symmetric matrix that may be singular: flat directions get a tiny curvature.
Matrix InverseOf(const Matrix& symmetric, double rows) {
  const double floor = 1e-12 * rows;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  const Vector curvature = solver.eigenvalues().cwiseMax(floor);
  return solver.eigenvectors() * curvature.cwiseInverse().asDiagonal() *
         solver.eigenvectors().transpose();
}

}  // namespace

ParameterValues StandardErrors(const std::vector<const Sample*>& samples,
                               const Device& device,
                               const ParameterScale& scale,
                               const ParameterValues& x,
                               const std::array<bool, kParameters>& free) {
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < kParameters; ++i) {
    if (free[i]) moving.push_back(i);
  }
  if (moving.empty()) return {};
  const auto width = static_cast<Eigen::Index>(moving.size());
  std::array<Dual, kParameters> point;
  for (std::size_t i = 0; i < kParameters; ++i) point[i] = Dual(x[i], static_cast<int>(i));

  Matrix bread = Matrix::Zero(width, width);
  Matrix plain = Matrix::Zero(width, width);
  std::map<std::string_view, Vector> scores;
  double squares = 0;
  for (const Sample* sample : samples) {
    const Dual residual = LogResidual(*sample, device, scale).At(point);
    Vector gradient(width);
    for (Eigen::Index i = 0; i < width; ++i) {
      gradient[i] = residual.v[static_cast<Eigen::Index>(moving[static_cast<std::size_t>(i)])];
    }
    const double growth = std::hypot(1.0, residual.a / kRobustWidth);
    const double psi = residual.a / growth;
    bread += gradient * gradient.transpose() / (growth * growth * growth);
    plain += gradient * gradient.transpose();
    squares += psi * psi;
    auto& score = scores.try_emplace(sample->key, Vector::Zero(width)).first->second;
    score += psi * gradient;
  }
  const auto rows = static_cast<double>(samples.size());
  const double freedom = std::max(1.0, rows - static_cast<double>(width));
  const auto keys = static_cast<double>(scores.size());
  Matrix clustered = Matrix::Zero(width, width);
  for (const auto& [key, score] : scores) clustered += score * score.transpose();
  if (keys > 1) clustered *= keys / (keys - 1);

  const Matrix inverse = InverseOf(bread, rows);
  const Matrix independent = inverse * plain * inverse * (squares / freedom);
  const Matrix by_key = inverse * clustered * inverse;
  ParameterValues errors{};
  for (Eigen::Index i = 0; i < width; ++i) {
    const double variance = std::max({independent(i, i), by_key(i, i), 0.0});
    errors[moving[static_cast<std::size_t>(i)]] = std::sqrt(variance);
  }
  return errors;
}

}  // namespace roofcast
