// SPDX-License-Identifier: Apache-2.0
#include "models/llm/tensor_list.h"

namespace roofcast::internal {
namespace {

constexpr Part kPart = Part::kRecurrent;

// The projections in: of the values first, then of what steers the state. Heads are split over the
// ranks; groups of keys are too, at least one a rank.
struct Projections {
  const RecurrentLayer& r;
  std::int64_t hidden;
  TensorList& list;

  void Heads(std::string_view name, std::int64_t outputs) const {
    list.Matrix(name, "in", kPart, outputs, hidden, Shard::kOutputs);
  }
  void Keys(std::string_view name) const {
    list.Matrix(name, "in", kPart, r.key_heads * r.state_dim, hidden, Shard::kKvOutputs);
    list.HeadSize(r.state_dim);
  }
};

void ListTaps(const RecurrentLayer& r, TensorList& list) {
  if (r.taps == 0) return;
  const auto channels = [&](std::string_view name, std::int64_t count) {
    list.Vector(name, kPart, r.Inner(), Shard::kOutputs, count);
    if (r.kind == RecurrentKind::kMamba) return;
    for (const std::string_view keys : {"keys", "queries"}) {
      list.Vector(keys, kPart, r.key_heads * r.state_dim, Shard::kKvOutputs, count);
      list.HeadSize(r.state_dim);
    }
  };
  channels("taps", r.taps);
  if (r.taps_bias) channels("taps_bias", 1);
}

// Step size, B and C come from the convolved channels [gu2023].
void ListMamba(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  const std::int64_t channels = r.Inner();
  const Projections in{r, hidden, list};
  in.Heads("x", channels);
  in.Heads("z", channels);
  list.Matrix("x_proj", "x", kPart, r.rank + 2 * r.state_dim, channels, Shard::kInputs);
  list.Matrix("dt_proj", "dt", kPart, channels, r.rank, Shard::kOutputs);
  list.Vector("dt_bias", kPart, channels, Shard::kOutputs);
  list.Vector("decay", kPart, channels, Shard::kOutputs, r.state_dim);
  list.Vector("skip", kPart, channels, Shard::kOutputs);
  if (r.inner_norms) {
    list.Vector("inner_norms", Part::kNorm, r.rank + 2 * r.state_dim, Shard::kReplicated);
  }
  if (r.bias) list.Vector("in_bias", kPart, 2 * channels, Shard::kOutputs);
}

// One projection makes values, gate, B, C and step size [dao2024].
void ListMamba2(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  const Projections in{r, hidden, list};
  in.Heads("x", r.Inner());
  in.Heads("z", r.Inner());
  in.Keys("b");
  in.Keys("c");
  in.Heads("dt", r.heads);
  list.Vector("dt_bias", kPart, r.heads, Shard::kOutputs);
  list.Vector("decay", kPart, r.heads, Shard::kOutputs);
  list.Vector("skip", kPart, r.heads, Shard::kOutputs);
  if (r.gated_norm) list.Vector("gated_norm", Part::kNorm, r.Inner(), Shard::kOutputs);
  if (r.bias) {
    const std::int64_t outputs = 2 * r.Inner() + 2 * r.key_heads * r.state_dim + r.heads;
    list.Vector("in_bias", kPart, outputs, Shard::kOutputs);
  }
}

// Queries, keys, values, gate, decay and step of the delta rule [yang2024].
void ListGatedDelta(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  const Projections in{r, hidden, list};
  in.Keys("q");
  in.Keys("k");
  in.Heads("v", r.Inner());
  in.Heads("z", r.Inner());
  in.Heads("ba", 2 * r.heads);
  list.Vector("dt_bias", kPart, r.heads, Shard::kOutputs);
  list.Vector("decay", kPart, r.heads, Shard::kOutputs);
  list.Vector("gated_norm", Part::kNorm, r.head_dim, Shard::kReplicated);
}

// As the gated delta rule, with a decay for each channel of the keys; decay and output gate come
// through narrow pairs of matrices [kimi-linear].
void ListKimiDelta(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  const std::int64_t keys = r.key_heads * r.state_dim;
  const Projections in{r, hidden, list};
  in.Keys("q");
  in.Keys("k");
  in.Heads("v", r.Inner());
  in.Heads("beta", r.heads);
  list.Matrix("decay_a", "narrow", kPart, r.rank, hidden, Shard::kReplicated);
  list.Matrix("gate_a", "narrow", kPart, r.rank, hidden, Shard::kReplicated);
  list.Matrix("decay_b", "decay", kPart, keys, r.rank, Shard::kOutputs);
  list.Matrix("gate_b", "gate", kPart, r.Inner(), r.rank, Shard::kOutputs);
  list.Vector("dt_bias", kPart, keys, Shard::kOutputs);
  list.Vector("decay", kPart, r.heads, Shard::kOutputs);
  list.Vector("gated_norm", Part::kNorm, r.head_dim, Shard::kReplicated);
}

// Linear attention whose decay is fixed by the head's number [minimax-01].
void ListLightning(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  const Projections in{r, hidden, list};
  in.Keys("q");
  in.Keys("k");
  in.Heads("v", r.Inner());
  in.Heads("gate", r.Inner());
  list.Vector("gated_norm", Part::kNorm, r.Inner(), Shard::kOutputs);
}

}  // namespace

void ListRecurrent(const RecurrentLayer& r, std::int64_t hidden, TensorList& list) {
  switch (r.kind) {
    case RecurrentKind::kNone:
      return;
    case RecurrentKind::kMamba:
      ListMamba(r, hidden, list);
      break;
    case RecurrentKind::kMamba2:
      ListMamba2(r, hidden, list);
      break;
    case RecurrentKind::kGatedDelta:
      ListGatedDelta(r, hidden, list);
      break;
    case RecurrentKind::kKimiDelta:
      ListKimiDelta(r, hidden, list);
      break;
    case RecurrentKind::kLightning:
      ListLightning(r, hidden, list);
      break;
  }
  ListTaps(r, list);
  list.Matrix("out", "out", kPart, hidden, r.Inner(), Shard::kInputs);
  if (r.bias) list.Vector("out_bias", kPart, hidden, Shard::kReplicated);
}

}  // namespace roofcast::internal
