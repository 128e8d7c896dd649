// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention.h"

#include <ceres/jet.h>

#include <algorithm>

#include "models/kernels/roofline.h"

namespace roofcast {
namespace {
// Keys that at least one query sees.
double KeysSeen(const Attention& op) {
  if (op.chunk > 0) {
    const std::int64_t before = op.keys - op.queries;
    return Number(op.keys - before / op.chunk * op.chunk);
  }
  if (op.window == 0) return Number(op.keys);
  return Number(std::min(op.keys, op.window + op.queries - 1));
}

// Pairs of the first `tokens` tokens when each sees its own chunk.
double ChunkedPairs(std::int64_t tokens, std::int64_t chunk) {
  const auto triangle = [](std::int64_t side) { return Number(side) * Number(side + 1) / 2; };
  return Number(tokens / chunk) * triangle(chunk) + triangle(tokens % chunk);
}

Bytes TrafficOf(const Attention& op) {
  const double rows = Number(op.batch) * Number(op.queries) * Number(op.heads);
  const Bytes query_and_output = rows * Number(op.head_dim + op.value_dim) * BytesOf(op.io);
  const Bytes keys_and_values = CachedBytesSeen(op);
  // Backward reads queries, keys, values, outputs and the output's gradient, and writes three
  // gradients.
  Bytes traffic = query_and_output + keys_and_values;
  if (op.backward) traffic *= 2;
  const double tokens = Number(op.batch) * Number(op.queries);
  if (op.writes_cache) {
    traffic += tokens * Number(CachedNumbers(op)) * (BytesOf(op.io) + BytesOf(op.kv));
  }
  if (op.rotates) {
    traffic += 2 * tokens * Number((op.heads + op.kv_heads) * op.head_dim) * BytesOf(op.io);
  }
  return traffic;
}

bool IsMla(const Attention& op) {
  return op.latent > 0 || op.shared_values;
}
}  // namespace

Bytes CachedBytesSeen(const Attention& op) {
  const double cached = Number(op.batch) * KeysSeen(op) * Number(op.kv_heads);
  const double dim = Number(op.head_dim) + (op.shared_values ? 0 : Number(op.value_dim));
  // What MLA expands from its latents is no cache.
  const bool expanded = op.latent > 0 && !op.shared_values;
  return cached * dim * BytesOf(expanded ? op.io : op.kv);
}

std::int64_t CachedNumbers(const Attention& op) {
  if (op.latent > 0) return op.latent;
  return op.kv_heads * (op.head_dim + (op.shared_values ? 0 : op.value_dim));
}

double BackwardWork(const Attention& op) {
  return Number(3 * op.head_dim + 2 * op.value_dim) / Number(op.head_dim + op.value_dim);
}

std::string_view AttentionFamilyOf(const Attention& op) {
  if (!op.causal) return "encoder";
  const bool decodes = op.queries == 1 && op.keys > 1;
  if (IsMla(op)) return decodes ? "mla_decode" : "mla_prefill";
  return decodes ? "decode" : "prefill";
}

std::string AttentionFormatOf(const Attention& op) {
  std::string format(NameOf(op.math));
  if (op.kv != op.math) format += ", kv " + std::string(NameOf(op.kv));
  return format;
}

double AttentionPairs(const Attention& op) {
  const double queries = Number(op.queries);
  if (!op.causal && op.window == 0) return queries * Number(op.keys);
  if (!op.causal) {
    // Each query, and as far to either side as there are tokens.
    const double side = Number(std::min((op.window - 1) / 2, op.keys - 1));
    return queries + side * (side - 1) + 2 * (queries - side) * side;
  }
  if (op.chunk > 0) {
    return ChunkedPairs(op.keys, op.chunk) - ChunkedPairs(op.keys - op.queries, op.chunk);
  }
  const double before = Number(op.keys - op.queries);  // keys that every query comes after
  if (op.window == 0) return queries * before + queries * (queries + 1) / 2;
  // Queries whose view is still shorter than the window, then those that see a full window.
  const double window = Number(op.window);
  const double growing = std::clamp(window - before, 0.0, queries);
  return growing * before + growing * (growing + 1) / 2 + (queries - growing) * window;
}

template <class T>
Cost<T> CostOf(const Attention& op, const Device& device, const Coefficients<T>& coefficients) {
  // Products that run over a pair's keys (scores, and the gradients of queries and keys) and over
  // its values (output; the gradients of weights and values).
  const double over_keys = op.backward ? 3 : 1;
  const double over_values = op.backward ? 2 : 1;
  const double numbers = over_keys * Number(op.head_dim) + over_values * Number(op.value_dim);
  const Flops work(2 * numbers * Number(op.heads) * Number(op.batch) * AttentionPairs(op));
  const KernelCoefficients<T>& c =
      op.queries == 1 ? coefficients.decode_attention : coefficients.prefill_attention;
  return Roofline<T>(work, device.PeakOf(op.math), TrafficOf(op), device.memory.bandwidth, c);
}

ROOFCAST_INSTANTIATE_COST(Attention);

}  // namespace roofcast
