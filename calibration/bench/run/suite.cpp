// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/run/suite.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "calibration/bench/kernels/attention.h"
#include "calibration/bench/kernels/elementwise.h"
#include "calibration/bench/kernels/matmul.h"
#include "core/error.h"
#include "core/scalar.h"

namespace roofcast::bench {
namespace {

constexpr std::size_t kLeastPool = std::size_t{256} << 20U;

std::size_t SizeOf(DType dtype) {
  return static_cast<std::size_t>(BytesOf(dtype).value());
}

std::size_t Numbers(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

// How many bytes of the shared buffers a case touches.
std::array<std::size_t, 4> SharedBytesOf(const Case& c) {
  const std::size_t size = SizeOf(c.dtype);
  switch (c.part) {
    case Part::kGemm:
    case Part::kGemv:
      return {Numbers(c.m, c.k) * size, Numbers(c.m, c.n) * sizeof(float), 0, 0};
    case Part::kAttention: {
      const std::size_t tokens = Numbers(c.batch, c.queries);
      const std::size_t row = static_cast<std::size_t>((c.heads + 2 * c.kv_heads) * c.head_dim);
      return {0,
              tokens * static_cast<std::size_t>(c.heads * c.head_dim) * size,
              tokens * row * size,
              0};
    }
    case Part::kElementwise: {
      const std::size_t bytes = Numbers(c.rows, c.columns) * size;
      return {2 * bytes, bytes, 0, 0};
    }
    case Part::kMemory:
      break;
  }
  return {0, 0, 0, Numbers(c.rows, c.columns) * sizeof(float)};
}

AttentionShape ShapeOf(const Case& c) {
  return {c.batch, c.queries, c.keys, c.heads, c.kv_heads, c.head_dim};
}

ReadyCase MakeProduct(const Case& c, Workspace& workspace) {
  auto product = std::make_shared<MatMul>(c.dtype, c.m, c.n, c.k);
  const std::byte* x = workspace.Shared(0, c.dtype, 0).data();
  std::byte* out = workspace.Shared(1, c.dtype, 0).data();
  ReadyCase ready{{c, "matmul " + product->Kernel(), {}, {}}, {}};
  // Any numbers of the right kind serve as weights in the kernel's order.
  ready.run = [product, x, out, &pool = workspace.pool()] {
    product->Run(x, pool.Next(product->WeightBytes()), out);
  };
  return ready;
}

ReadyCase MakeAttention(const Case& c, Workspace& workspace) {
  const AttentionShape shape = ShapeOf(c);
  auto attention = std::make_shared<CachedAttention>(c.dtype, shape, c.keys);
  const std::size_t bytes = KvCacheBytes(c.dtype, shape, c.keys);
  std::byte* out = workspace.Shared(1, c.dtype, 0).data();
  const std::byte* qkv = workspace.Shared(2, c.dtype, 0).data();
  const bool decodes = c.queries == 1;
  ReadyCase ready{{c, decodes ? "rows" : "blocks", {}, {}}, {}};
  if (decodes || c.keys > c.queries) {
    ready.run = [=, &pool = workspace.pool()] {
      std::byte* keys = pool.Next(bytes);
      std::byte* values = pool.Next(bytes);
      attention->Run(qkv, {keys, values, c.keys}, out);
    };
  } else {
    // The keys and values of a prompt were written just before: they are warm.
    auto cache = std::make_shared<Buffer>(2 * bytes);
    ready.run = [=] { attention->Run(qkv, {cache->data(), cache->data() + bytes, c.keys}, out); };
  }
  return ready;
}

// Rotation works on heads: a pass of so many columns is queries, keys and values of 64-wide heads,
// half of them queries.
AttentionShape RotaryShape(const Case& c) {
  AttentionShape shape;
  shape.head_dim = 64;
  shape.heads = c.columns / shape.head_dim / 2;
  shape.kv_heads = shape.heads / 2;
  shape.queries = shape.keys = c.rows;
  return shape;
}

// What a pass works on in place is its own: numbers that grow or turn from run to run must not
// reach the inputs of others, where exponentials of large ones take a slower way.
ReadyCase MakePass(const Case& c, Workspace& workspace) {
  const std::byte* in = workspace.Shared(0, c.dtype, 0).data();
  std::byte* out = workspace.Shared(1, c.dtype, 0).data();
  ReadyCase ready{{c, "", {}, {}}, {}};
  Bytes& traffic = ready.measured.traffic;
  if (c.op == "add_norm") {
    traffic = NormResidualTraffic(c.dtype, c.rows, c.columns);
    auto stream = std::make_shared<Buffer>(Numbers(c.rows, c.columns) * SizeOf(c.dtype));
    ready.run = [=] { NormResidual(c.dtype, c.rows, c.columns, stream->data(), in, in, out); };
  } else if (c.op == "silu_mul") {
    traffic = GatedActivationTraffic(c.dtype, c.rows, c.columns);
    ready.run = [=] { GatedActivation(c.dtype, c.rows, c.columns, in, out); };
  } else if (c.op == "add") {
    traffic = AddTraffic(c.dtype, c.rows, c.columns);
    const std::byte* other = in + Numbers(c.rows, c.columns) * SizeOf(c.dtype);
    ready.run = [=] { Add(c.dtype, c.rows, c.columns, in, other, out); };
  } else {
    ROOFCAST_CHECK(c.op == "rotary");
    const AttentionShape shape = RotaryShape(c);
    traffic = RotateAndCacheTraffic(c.dtype, shape);
    const std::size_t bytes = KvCacheBytes(c.dtype, shape, c.rows);
    auto qkv = std::make_shared<Buffer>(Numbers(c.rows, c.columns) * SizeOf(c.dtype));
    auto cache = std::make_shared<Buffer>(2 * bytes);
    ready.run = [=] {
      RotateAndCache(c.dtype, shape, qkv->data(), {cache->data(), cache->data() + bytes, c.rows});
    };
  }
  return ready;
}

ReadyCase MakeMemory(const Case& c, Workspace& workspace) {
  const std::size_t bytes = Numbers(c.rows, c.columns) * sizeof(float);
  Buffer& buffer = workspace.Shared(3, c.dtype, bytes);
  ReadyCase ready{{c, "", Bytes(static_cast<double>(bytes)), {}}, {}};
  if (c.op == "read") {
    ready.run = [&buffer, bytes] {
      volatile float sum = ReadAll(buffer, bytes);  // somebody might look at it
      static_cast<void>(sum);
    };
  } else {
    ready.run = [&buffer, bytes] { Triad(buffer, bytes); };
  }
  return ready;
}

ReadyCase MakeOne(const Case& c, Workspace& workspace) {
  switch (c.part) {
    case Part::kGemm:
    case Part::kGemv:
      return MakeProduct(c, workspace);
    case Part::kAttention:
      return MakeAttention(c, workspace);
    case Part::kElementwise:
      return MakePass(c, workspace);
    case Part::kMemory:
      break;
  }
  return MakeMemory(c, workspace);
}

}  // namespace

Buffer& Workspace::Shared(std::size_t which, DType dtype, std::size_t bytes) {
  Buffer& buffer = shared_[{which, dtype}];
  if (buffer.size() < bytes) buffer = Buffer(bytes);
  return buffer;
}

std::size_t ColdBytes(std::optional<Bytes> last_level_cache) {
  const double wanted = 4 * last_level_cache.value_or(Bytes(0)).value();
  return std::max(kLeastPool, static_cast<std::size_t>(wanted));
}

std::vector<ReadyCase> MakeReady(const std::vector<Case>& cases, Workspace& workspace) {
  for (const Case& c : cases) {
    const auto bytes = SharedBytesOf(c);
    for (std::size_t i = 0; i < bytes.size(); ++i) workspace.Shared(i, c.dtype, bytes[i]);
  }
  std::vector<ReadyCase> ready;
  ready.reserve(cases.size());
  for (const Case& c : cases) ready.push_back(MakeOne(c, workspace));
  return ready;
}

}  // namespace roofcast::bench
