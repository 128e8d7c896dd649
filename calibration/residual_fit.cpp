// SPDX-License-Identifier: Apache-2.0
#include "calibration/residual_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace roofcast {
namespace {

using Place = std::array<double, SizeList::kMost>;

double DistanceOf(const Place& one, const Place& other) {
  double square = 0;
  for (std::size_t i = 0; i < one.size(); ++i) square += (one[i] - other[i]) * (one[i] - other[i]);
  return std::sqrt(square);
}

// Farthest-point traversal from the first place: each next one is the farthest from all taken.
std::vector<Place> Inducing(const std::vector<Place>& places, std::size_t most) {
  std::vector<Place> taken = {places.front()};
  std::vector<double> distance(places.size(), std::numeric_limits<double>::infinity());
  while (taken.size() < most) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      distance[i] = std::min(distance[i], DistanceOf(places[i], taken.back()));
    }
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (!(*farthest > 0)) break;  // every place is taken
    taken.push_back(places[static_cast<std::size_t>(farthest - distance.begin())]);
  }
  return taken;
}

}  // namespace

ResidualField FitResidual(const std::vector<SizeList>& sizes,
                          const std::vector<double>& residuals,
                          const ResidualOptions& options) {
  std::vector<Place> places;
  places.reserve(sizes.size());
  for (const SizeList& one : sizes) places.push_back(PlaceOf(one));
  ResidualField field;
  field.length = options.length;
  field.dimensions = sizes.front().count;
  field.points = Inducing(places, options.points);

  const auto rows = static_cast<Eigen::Index>(places.size());
  const auto count = static_cast<Eigen::Index>(field.points.size());
  const auto kernel = [&](const Place& one, const Place& other) {
    return std::exp(-DistanceOf(one, other) / options.length);
  };
  Eigen::MatrixXd cross(rows, count);
  Eigen::MatrixXd prior(count, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const Place& point = field.points[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < rows; ++i) {
      cross(i, j) = kernel(places[static_cast<std::size_t>(i)], point);
    }
    for (Eigen::Index i = 0; i < count; ++i) {
      prior(i, j) = kernel(field.points[static_cast<std::size_t>(i)], point);
    }
  }
  Eigen::VectorXd target(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    target[i] = std::clamp(residuals[static_cast<std::size_t>(i)], -options.clip, options.clip);
  }
  const double ratio = std::pow(options.amplitude / options.noise, 2);
  constexpr double kHuber = 1.5;
  constexpr int kRounds = 3;
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(rows);
  Eigen::VectorXd solution;
  for (int round = 0; round < kRounds; ++round) {
    const Eigen::MatrixXd weighted = weights.asDiagonal() * cross;
    const Eigen::MatrixXd normal = ratio * cross.transpose() * weighted + prior;
    solution = normal.llt().solve(ratio * weighted.transpose() * target);
    const Eigen::VectorXd left = target - cross * solution;
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double size = std::abs(left[i]) / (kHuber * options.noise);
      weights[i] = size > 1 ? 1 / size : 1;
    }
  }
  field.weights.assign(solution.data(), solution.data() + count);
  return field;
}

}  // namespace roofcast
