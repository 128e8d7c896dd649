// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/state_scan.h"

#include <ceres/jet.h>

#include <algorithm>

#include "models/kernels/roofline.h"

namespace roofcast {
namespace {

bool InChunks(const StateScan& op) {
  return op.tokens > 1 && op.rule != ScanRule::kChannels;
}

// Of one token, all heads.
double MatrixWork(const StateScan& op, double chunk) {
  const double n = Number(op.state_dim);
  const double p = Number(op.head_dim);
  const double heads = Number(op.heads);
  if (op.rule == ScanRule::kDecay) {
    return Number(op.groups) * 2 * chunk * n + heads * (2 * chunk * p + 4 * n * p);
  }
  return heads * (6 * chunk * n + 4 * chunk * p + 6 * n * p + chunk * chunk / 3);
}

// Of one token: what the kernels of a chunked scan write for each other, and read.
Bytes HandedOn(const StateScan& op, double chunk) {
  const Bytes element = BytesOf(op.io);
  const Bytes score(8);  // fp32, there and back
  const double heads = Number(op.heads);
  const double states = heads * Number(op.head_dim) * Number(op.state_dim) / chunk;
  if (op.rule == ScanRule::kDecay) {
    return Number(op.groups) * chunk * score + states * (Bytes(8) + 2 * element);
  }
  const double rows = Number(2 * op.state_dim + 4 * op.head_dim);
  return heads * (chunk * (score + 2 * element) + rows * element) + 2 * states * element;
}

}  // namespace

std::int64_t ChunkOf(ScanRule rule) {
  return rule == ScanRule::kDelta ? 64 : 256;
}

ScanWork WorkOf(const StateScan& op) {
  const double inner = Number(op.heads) * Number(op.head_dim);
  const double state = inner * Number(op.state_dim);
  // Mamba makes keys and queries (B and C) from the convolved values.
  const double keys =
      op.rule == ScanRule::kChannels ? 0 : 2 * Number(op.groups) * Number(op.state_dim);
  const double tokens = Number(op.batch) * Number(op.tokens);
  ScanWork work;
  work.vector = Flops(tokens * 2 * Number(op.taps) * (inner + keys));
  work.traffic = tokens * (3 * inner + keys) * BytesOf(op.io);
  if (InChunks(op)) {
    const double chunk = Number(std::min(op.tokens, ChunkOf(op.rule)));
    work.matrix = Flops(tokens * MatrixWork(op, chunk));
    work.traffic = work.traffic + tokens * HandedOn(op, chunk);
  } else {
    const double operations = op.rule == ScanRule::kDelta ? 7 : 5;
    work.vector = work.vector + Flops(tokens * operations * state);
  }
  work.traffic = work.traffic + 2 * Number(op.batch) * state * Bytes(4);
  if (op.backward) {
    work.matrix = 3 * work.matrix;
    work.vector = 3 * work.vector;
    work.traffic = 2 * work.traffic;
  }
  return work;
}

template <class T>
Cost<T> CostOf(const StateScan& op, const Device& device, const Coefficients<T>& coefficients) {
  const ScanWork work = WorkOf(op);
  const Flops all = work.matrix + work.vector;
  // One rate that takes as long as both kinds of work one after the other.
  const Seconds computing =
      work.matrix / device.PeakOf(op.math) + work.vector / device.VectorPeak();
  const bool chunks = InChunks(op);
  return Roofline<T>(all,
                     computing > Seconds(0) ? all / computing : device.VectorPeak(),
                     work.traffic,
                     device.memory.bandwidth,
                     chunks ? coefficients.prefill_attention : coefficients.elementwise);
}

ROOFCAST_INSTANTIATE_COST(StateScan);

}  // namespace roofcast
