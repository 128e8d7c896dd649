// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/attention.h"
#include "models/kernels/elementwise.h"
#include "models/llm/architecture.h"
#include "models/llm/precision.h"
#include "models/parallelism/lower.h"
#include "models/parallelism/plan.h"

namespace roofcast {

// A layer on one rank; all outlive it.
struct LayerOnRank {
  const Llm& llm;
  const Layer& layer;
  const Plan& plan;
  const Precision& precision;
  const Pass& pass;
};

// The passes over memory between a layer's matrix products. Each reads and writes its tensors
// once; a row is a token. About one operation a byte is far below any vector unit's balance.

// Residual add and norm in one pass: reads stream and update, writes stream and normed input, times
// `factor`. Sequence parallelism splits the tokens.
Elementwise NormsOn(const LayerOnRank& rank, double factor);
// Rotates queries and keys, and puts keys and values into the cache.
Elementwise RotaryOn(const LayerOnRank& rank, const Attention& core);
// Reads the gate and the output of attention, writes their product, times `factor`.
Elementwise GateOn(const LayerOnRank& rank, double factor);
// The activation outside the routed experts: a gated one reads two tensors and writes one; backward
// reads the gradient beside them and writes as many gradients as forward reads. No traffic where a
// layer has routed experts alone.
Elementwise ActivationOn(const LayerOnRank& rank, bool backward);

}  // namespace roofcast
