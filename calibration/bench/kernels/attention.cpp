// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/kernels/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "calibration/bench/kernels/number.h"
#include "calibration/bench/kernels/parallel.h"
#include "core/error.h"
#include "core/scalar.h"

namespace roofcast::bench {
namespace {

constexpr std::int64_t kBlock = 128;        // queries of a block
constexpr std::int64_t kMostNumbers = 256;  // of a head

std::size_t SizeOf(DType dtype) {
  return dtype == DType::kBf16 ? sizeof(Bf16) : sizeof(float);
}

// Softmax of the first `seen` scores; the rest of the row, up to `count`, is not seen.
template <class T>
[[gnu::always_inline]] inline void SoftmaxRow(
    std::int64_t seen, std::int64_t count, float scale, const float* scores, T* weights) {
  float highest = scores[0];
  for (std::int64_t i = 1; i < seen; ++i) highest = std::max(highest, scores[i]);
  float sum = 0;
  for (std::int64_t i = 0; i < seen; ++i) {
    const float value = std::exp((scores[i] - highest) * scale);
    weights[i] = Narrow<T>(value);
    sum += value;
  }
  const float factor = 1.0F / sum;
  for (std::int64_t i = 0; i < seen; ++i) weights[i] = Narrow<T>(Widen(weights[i]) * factor);
  for (std::int64_t i = seen; i < count; ++i) weights[i] = T{};
}

// One query for each of `group` heads that share their keys and values. The queries lie one after
// the other; `scores` has room for group x keys numbers.
template <class T>
[[gnu::always_inline]] inline void AttendRows(std::int64_t group,
                                              std::int64_t keys,
                                              std::int64_t dim,
                                              const T* queries,
                                              const T* key_rows,
                                              const T* value_rows,
                                              float* scores,
                                              T* out) {
  std::array<float, kMostNumbers> row;
  for (std::int64_t t = 0; t < keys; ++t) {
    for (std::int64_t i = 0; i < dim; ++i)
      row[static_cast<std::size_t>(i)] = Widen(key_rows[t * dim + i]);
    for (std::int64_t g = 0; g < group; ++g) {
      float sum = 0;
      for (std::int64_t i = 0; i < dim; ++i) {
        sum += row[static_cast<std::size_t>(i)] * Widen(queries[g * dim + i]);
      }
      scores[g * keys + t] = sum;
    }
  }
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  for (std::int64_t g = 0; g < group; ++g) {
    SoftmaxRow<float>(keys, keys, scale, scores + g * keys, scores + g * keys);
  }
  // Up to so many heads of a group at a time keep their sums in the first cache.
  for (std::int64_t g = 0; g < group; ++g) {
    row.fill(0);
    for (std::int64_t t = 0; t < keys; ++t) {
      const float weight = scores[g * keys + t];
      for (std::int64_t i = 0; i < dim; ++i) {
        row[static_cast<std::size_t>(i)] += weight * Widen(value_rows[t * dim + i]);
      }
    }
    for (std::int64_t i = 0; i < dim; ++i) {
      out[g * dim + i] = Narrow<T>(row[static_cast<std::size_t>(i)]);
    }
  }
}

ROOFCAST_CLONES void Softmax(
    std::int64_t seen, std::int64_t count, float scale, const float* scores, float* weights) {
  SoftmaxRow(seen, count, scale, scores, weights);
}
ROOFCAST_CLONES void Softmax(
    std::int64_t seen, std::int64_t count, float scale, const float* scores, Bf16* weights) {
  SoftmaxRow(seen, count, scale, scores, weights);
}
ROOFCAST_CLONES void Attend(std::int64_t group,
                            std::int64_t keys,
                            std::int64_t dim,
                            const float* queries,
                            const float* key_rows,
                            const float* value_rows,
                            float* scores,
                            float* out) {
  AttendRows(group, keys, dim, queries, key_rows, value_rows, scores, out);
}
ROOFCAST_CLONES void Attend(std::int64_t group,
                            std::int64_t keys,
                            std::int64_t dim,
                            const Bf16* queries,
                            const Bf16* key_rows,
                            const Bf16* value_rows,
                            float* scores,
                            Bf16* out) {
  AttendRows(group, keys, dim, queries, key_rows, value_rows, scores, out);
}

// Pairs (x, y) of a head's two halves turn by an angle of position / 10000^(2 i / dim).
template <class T>
void Rotate(std::int64_t dim, const float* cosines, const float* sines, const T* from, T* to) {
  const std::int64_t half = dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const float x = Widen(from[i]);
    const float y = Widen(from[half + i]);
    to[i] = Narrow<T>(x * cosines[i] - y * sines[i]);
    to[half + i] = Narrow<T>(x * sines[i] + y * cosines[i]);
  }
}

struct Angles {
  std::array<float, kMostNumbers / 2> cosines;
  std::array<float, kMostNumbers / 2> sines;
};
// Steps by multiplying: two products a number instead of a sine and a cosine each.
void AnglesAt(std::int64_t dim, std::int64_t position, Angles& angles) {
  for (std::int64_t i = 0; i < dim / 2; ++i) {
    const double angle =
        Number(position) * std::exp(-std::log(10000.0) * 2 * Number(i) / Number(dim));
    angles.cosines[static_cast<std::size_t>(i)] = static_cast<float>(std::cos(angle));
    angles.sines[static_cast<std::size_t>(i)] = static_cast<float>(std::sin(angle));
  }
}

// The angles of all positions so far, worked out once for each head size.
const std::vector<Angles>& AnglesOf(std::int64_t dim, std::int64_t positions) {
  static std::array<std::vector<Angles>, kMostNumbers + 1> known;
  std::vector<Angles>& angles = known[static_cast<std::size_t>(dim)];
  for (auto at = static_cast<std::int64_t>(angles.size()); at < positions; ++at) {
    AnglesAt(dim, at, angles.emplace_back());
  }
  return angles;
}

}  // namespace

std::size_t KvCacheBytes(DType dtype, const AttentionShape& shape, std::int64_t room) {
  return static_cast<std::size_t>(shape.batch * shape.kv_heads * room * shape.head_dim) *
         SizeOf(dtype);
}

void RotateAndCache(DType dtype, const AttentionShape& shape, void* qkv, const KvCache& cache) {
  const std::int64_t dim = shape.head_dim;
  const std::vector<Angles>& angles = AnglesOf(dim, shape.keys);
  WithFormat(dtype, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(shape.Tokens(), [&](std::int64_t token) {
      T* row = static_cast<T*>(qkv) + token * shape.RowNumbers();
      const std::int64_t sequence = token / shape.queries;
      const std::int64_t position = shape.keys - shape.queries + token % shape.queries;
      const Angles& turn = angles[static_cast<std::size_t>(position)];
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        T* query = row + head * dim;
        Rotate(dim, turn.cosines.data(), turn.sines.data(), query, query);
      }
      for (std::int64_t head = 0; head < shape.kv_heads; ++head) {
        const std::int64_t at = ((sequence * shape.kv_heads + head) * cache.room + position) * dim;
        const T* key = row + (shape.heads + head) * dim;
        Rotate(dim,
               turn.cosines.data(),
               turn.sines.data(),
               key,
               reinterpret_cast<T*>(cache.keys) + at);
        std::memcpy(reinterpret_cast<T*>(cache.values) + at,
                    key + shape.kv_heads * dim,
                    static_cast<std::size_t>(dim) * sizeof(T));
      }
    });
  });
}

Bytes RotateAndCacheTraffic(DType dtype, const AttentionShape& shape) {
  return 2 * Number(shape.Tokens()) * Number(shape.RowNumbers()) * BytesOf(dtype);
}

CachedAttention::CachedAttention(DType dtype, const AttentionShape& shape, std::int64_t room)
    : dtype_(dtype), shape_(shape) {
  ROOFCAST_CHECK(shape.head_dim <= kMostNumbers && shape.head_dim % 2 == 0);
  ROOFCAST_CHECK(shape.heads % shape.kv_heads == 0 && shape.queries <= shape.keys);
  const std::int64_t dim = shape.head_dim;
  const std::int64_t group = shape.heads / shape.kv_heads;
  if (shape.queries == 1) {
    scores_ =
        Buffer(static_cast<std::size_t>(shape.batch * shape.heads * shape.keys) * sizeof(float));
    return;
  }
  const std::int64_t before = shape.keys - shape.queries;
  for (std::int64_t first = 0; first < shape.queries; first += kBlock) {
    const std::int64_t rows = std::min(kBlock, shape.queries - first);
    const std::int64_t keys = before + first + rows;
    const BatchedOperand queries{dtype, group * dim, shape.RowNumbers(), 1};
    const BatchedOperand key_columns{dtype, room * dim, 1, dim};
    const BatchedOperand scores{DType::kFp32, rows * keys, keys, 1};
    const BatchedOperand weights{dtype, rows * keys, keys, 1};
    const BatchedOperand values{dtype, room * dim, dim, 1};
    const BatchedOperand out{dtype, group * dim, shape.heads * dim, 1};
    blocks_.push_back({first,
                       rows,
                       keys,
                       BatchedMatMul(shape.kv_heads, rows, keys, dim, queries, key_columns, scores),
                       BatchedMatMul(shape.kv_heads, rows, dim, keys, weights, values, out)});
  }
  const auto most = static_cast<std::size_t>(shape.kv_heads * kBlock * shape.keys);
  scores_ = Buffer(most * sizeof(float));
  weights_ = Buffer(most * SizeOf(dtype));
}

void CachedAttention::Run(const void* qkv, const KvCache& cache, void* out) {
  if (shape_.queries == 1) {
    RunRows(qkv, cache, out);
  } else {
    RunBlocks(qkv, cache, out);
  }
}

void CachedAttention::RunRows(const void* qkv, const KvCache& cache, void* out) {
  const std::int64_t dim = shape_.head_dim;
  const std::int64_t group = shape_.heads / shape_.kv_heads;
  WithFormat(dtype_, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    ParallelFor(shape_.batch * shape_.kv_heads, [&](std::int64_t i) {
      const std::int64_t sequence = i / shape_.kv_heads;
      const std::int64_t head = i % shape_.kv_heads;
      const std::int64_t rows = i * cache.room * dim;
      Attend(group,
             shape_.keys,
             dim,
             static_cast<const T*>(qkv) + sequence * shape_.RowNumbers() + head * group * dim,
             reinterpret_cast<const T*>(cache.keys) + rows,
             reinterpret_cast<const T*>(cache.values) + rows,
             reinterpret_cast<float*>(scores_.data()) + i * group * shape_.keys,
             static_cast<T*>(out) + (sequence * shape_.heads + head * group) * dim);
    });
  });
}

void CachedAttention::RunBlocks(const void* qkv, const KvCache& cache, void* out) {
  const std::int64_t dim = shape_.head_dim;
  const std::int64_t group = shape_.heads / shape_.kv_heads;
  const std::int64_t before = shape_.keys - shape_.queries;
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  WithFormat(dtype_, [&](auto* format) {
    using T = std::remove_pointer_t<decltype(format)>;
    auto* scores = reinterpret_cast<float*>(scores_.data());
    auto* weights = reinterpret_cast<T*>(weights_.data());
    for (std::int64_t sequence = 0; sequence < shape_.batch; ++sequence) {
      const std::int64_t cached = sequence * shape_.kv_heads * cache.room * dim;
      for (const Block& block : blocks_) {
        const std::int64_t token = sequence * shape_.queries + block.first;
        // One head of every group at a time: the heads of a batch lie equally far apart.
        for (std::int64_t g = 0; g < group; ++g) {
          block.scores.Run(static_cast<const T*>(qkv) + token * shape_.RowNumbers() + g * dim,
                           reinterpret_cast<const T*>(cache.keys) + cached,
                           scores);
          ParallelFor(shape_.kv_heads * block.rows, [&](std::int64_t row) {
            const std::int64_t seen = before + block.first + row % block.rows + 1;
            Softmax(seen, block.keys, scale, scores + row * block.keys, weights + row * block.keys);
          });
          block.sums.Run(weights,
                         reinterpret_cast<const T*>(cache.values) + cached,
                         static_cast<T*>(out) + token * shape_.heads * dim + g * dim);
        }
      }
    }
  });
}

}  // namespace roofcast::bench
