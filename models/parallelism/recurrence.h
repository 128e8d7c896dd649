// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/elementwise.h"
#include "models/llm/layer.h"
#include "models/parallelism/lower.h"

namespace roofcast {

// Convolution and state of a recurrent layer on one rank, forward, on the vector units:
//   work    = tokens (o state + 2 taps convolved)
//   traffic = tokens (values + gate + output + keys and queries) + 2 batch state of 4 bytes
// with o = 5 operations on each number of the state (decay 1, adding value x key 2, product with
// the query 2), and 7 for the delta rules, which first read what the key stands for [yang2024].
// A single group of keys is copied to every rank, more are split. Kernels that work on chunks of
// tokens do more operations than these, on the matrix units. Range: tp divides heads.
Elementwise RecurrenceOn(const RecurrentLayer& layer,
                         std::int64_t tp,
                         const Pass& pass,
                         Bytes element);

// Numbers of one token that tensor parallelism adds up within the layer: step size, B and C of
// Mamba come from all channels; the norm of lightning attention needs the squares of all heads.
std::int64_t NumbersSummedWithin(const RecurrentLayer& layer);

}  // namespace roofcast
