// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// How a recurrent mixer updates its state.
enum class ScanRule : std::uint8_t {
  kChannels,  // a decay for each number of the state: no matrix form (Mamba)
  kDecay,     // heads share their decay (Mamba-2, lightning attention)
  kDelta,     // the state first forgets what the key stood for (gated delta net, Kimi delta)
};

// Convolution and state of a recurrent mixer over `tokens` new tokens in each of `batch` sequences.
// A head's state is head_dim x state_dim numbers in fp32. Heads and groups are those of one device.
struct StateScan {
  ScanRule rule = ScanRule::kDecay;
  std::int64_t batch = 1;
  std::int64_t tokens = 1;       // one: the update of decode
  std::int64_t heads = 1;        // of values
  std::int64_t head_dim = 64;    // P
  std::int64_t groups = 1;       // of keys and queries, each shared by heads / groups heads
  std::int64_t state_dim = 128;  // N
  std::int64_t taps = 0;         // of the convolution before it
  bool backward = false;
  DType math = DType::kBf16;
  DType io = DType::kBf16;

  bool operator==(const StateScan&) const = default;
};

// Tokens that are multiplied as one block: 256 of Mamba-2 [mamba-ssm], 64 of the delta rules
// [flash-linear-attention].
std::int64_t ChunkOf(ScanRule rule);

// t = t0 + smoothmax_p(matrix work / (e_c P_m) + vector work / (e_c V), traffic / (e_m B))
// with, for each token and head, C the chunk (no longer than the sequence), N keys, P values,
//   one token, or kChannels:  vector work o N P, o = 5 (decay 1, value x key 2, query 2); 7 for
//                             the delta rules, which first read what the key stands for [yang2024]
//   kDecay:  matrix work 2 C N / heads a group + 2 C P + 4 N P section 6 of [dao2024]
//   kDelta:  matrix work 6 C N + 4 C P + 6 N P + C^2 / 3: the WY form of [yang2024],
//            its triangle solved by substitution
// and 2 taps for each convolved number. Traffic is values, gate, output, keys and queries, once,
// and the state of each sequence, read and written. What chunked kernels hand to each other is
// added: scores (fp32, written and read), the state of each chunk (kDecay 8 + 2 b bytes, since the
// first copy is in fp32; kDelta 2 b), and of the delta rules the solved triangle (2 b), W, U and
// the new values, b bytes a number. Backward runs the forward again and has two products for each
// of its own: three times the work, twice the traffic.
// No measurement is at hand: times are the roofline's, with the coefficients of attention for
// chunks and of elementwise operators for one token. Range: sizes >= 1, groups divide heads.
template <class T>
Cost<T> CostOf(const StateScan& op, const Device& device, const Coefficients<T>& coefficients);

// By the equations above.
struct ScanWork {
  Flops matrix;
  Flops vector;
  Bytes traffic;
};
ScanWork WorkOf(const StateScan& op);

}  // namespace roofcast
