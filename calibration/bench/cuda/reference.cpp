// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/bench/cuda/kernels/example.h"
#include "calibration/bench/cuda/numbers.h"
#include "core/error.h"

namespace roofcast::bench::cuda {
namespace {

double Number(const std::vector<std::uint16_t>& of, std::int64_t index) {
  return FloatOfBf16(of[static_cast<std::size_t>(index)]);
}

}  // namespace

std::vector<double> ReferenceAttention(const AttentionPoint& point,
                                       const std::vector<std::uint16_t>& q,
                                       const std::vector<std::uint16_t>& k,
                                       const std::vector<std::uint16_t>& v) {
  const std::int64_t dim = point.head_dim;
  const std::int64_t group = point.heads / point.kv_heads;
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  std::vector<double> out(q.size());
  std::vector<double> weights(static_cast<std::size_t>(point.kv_len));
  const std::int64_t rows = point.batch * point.q_len * point.heads;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t head = row % point.heads;
    const std::int64_t query = row / point.heads % point.q_len;
    const std::int64_t sequence = row / point.heads / point.q_len;
    const std::int64_t last = query + point.kv_len - point.q_len;
    const std::int64_t first =
        point.window > 0 ? std::max<std::int64_t>(0, last - point.window + 1) : 0;
    const auto start_of = [&](std::int64_t key) {
      return ((sequence * point.kv_len + key) * point.kv_heads + head / group) * dim;
    };
    double sum = 0;
    double top = -std::numeric_limits<double>::infinity();
    for (std::int64_t key = first; key <= last; ++key) {
      double score = 0;
      for (std::int64_t d = 0; d < dim; ++d) {
        score += Number(q, row * dim + d) * Number(k, start_of(key) + d);
      }
      weights[static_cast<std::size_t>(key)] = score * scale;
      top = std::max(top, score * scale);
    }
    for (std::int64_t key = first; key <= last; ++key) {
      double& weight = weights[static_cast<std::size_t>(key)];
      weight = std::exp(weight - top);
      sum += weight;
    }
    for (std::int64_t key = first; key <= last; ++key) {
      const double share = weights[static_cast<std::size_t>(key)] / sum;
      for (std::int64_t d = 0; d < dim; ++d) {
        out[static_cast<std::size_t>(row * dim + d)] += share * Number(v, start_of(key) + d);
      }
    }
  }
  return out;
}

double RelativeError(const std::vector<double>& got, const std::vector<double>& wanted) {
  ROOFCAST_CHECK(got.size() == wanted.size());
  double squares = 0;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) return std::numeric_limits<double>::infinity();
    squares += wanted[i] * wanted[i];
    worst = std::max(worst, std::fabs(got[i] - wanted[i]));
  }
  if (got.empty()) return std::numeric_limits<double>::infinity();
  if (worst == 0) return 0;
  return worst / std::sqrt(squares / static_cast<double>(got.size()));
}

std::vector<float> ExampleNumbers(std::int64_t count, std::uint32_t seed) {
  std::vector<float> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(ExampleNumber(static_cast<std::uint32_t>(i), seed));
  }
  return numbers;
}

}  // namespace roofcast::bench::cuda
