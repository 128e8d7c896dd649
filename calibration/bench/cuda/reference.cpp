// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

std::vector<double> ReferenceRow(const RowPoint& point,
                                 const std::vector<double>& x,
                                 const std::vector<double>& weight) {
  const auto cols = static_cast<std::size_t>(point.cols);
  const std::size_t count = static_cast<std::size_t>(point.rows) * cols;
  std::vector<double> out(count);
  for (std::size_t start = 0; start < count; start += cols) {
    double squares = 0;
    double sum = 0;
    for (std::size_t i = start; i < start + cols; ++i) {
      squares += x[i] * x[i];
      sum += std::exp(x[i]);
    }
    for (std::size_t i = start; i < start + cols; ++i) {
      const double gate =
          point.op == RowOp::kSiluMul ? x[i + start] : 0;  // rows of silu_mul are twice as wide
      switch (point.op) {
        case RowOp::kCopy:
          out[i] = x[i];
          break;
        case RowOp::kQuantiseFp8:
          out[i] = std::clamp(x[i], -448.0, 448.0);
          break;
        case RowOp::kAdd:
          out[i] = x[i] + x[count + i];
          break;
        case RowOp::kSiluMul:
          out[i] = gate / (1 + std::exp(-gate)) * x[i + start + cols];
          break;
        case RowOp::kGelu:
          out[i] = x[i] / 2 *
                   (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                                  (x[i] + 0.044715 * x[i] * x[i] * x[i])));
          break;
        case RowOp::kRmsNorm:
          out[i] = x[i] * weight[i - start] /
                   std::sqrt(squares / static_cast<double>(point.cols) + 1e-6);
          break;
        case RowOp::kSoftmax:
          out[i] = std::exp(x[i]) / sum;
          break;
      }
    }
  }
  return out;
}

double ToleranceOf(GemmFormat format) {
  switch (format) {
    case GemmFormat::kInt8:
      return 0;
    case GemmFormat::kFp32:
      return 1e-4;
    case GemmFormat::kTf32:
      return 5e-3;  // inputs are rounded to 11 bits
    case GemmFormat::kFp16:
      return 0.01;
    case GemmFormat::kFp8:
      return 0.05;  // sums are kept in some 14 bits between promotions
    default:
      return kBf16Tolerance;
  }
}

double ToleranceOf(RowOp op) {
  if (op == RowOp::kCopy) return 0;
  return op == RowOp::kQuantiseFp8 ? 0.07 : kBf16Tolerance;  // e4m3 has 4 bits
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
