// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/state_scan.h"
#include "models/llm/layer.h"
#include "models/llm/precision.h"
#include "models/parallelism/lower.h"

namespace roofcast {

// Convolution and state of a recurrent layer on one rank. A single group of keys is copied to every
// rank, more are split. Range: tp divides heads.
StateScan RecurrenceOn(const RecurrentLayer& layer,
                       std::int64_t tp,
                       const Pass& pass,
                       const Precision& precision);

// Numbers of one token that tensor parallelism adds up within the layer: step size, B and C of
// Mamba come from all channels; the norm of lightning attention needs the squares of all heads.
std::int64_t NumbersSummedWithin(const RecurrentLayer& layer);

}  // namespace roofcast
