// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "models/llm/architecture.h"

// How much work a model is, off the layer table. A product of matrices counts 2 operations for a
// multiplication and an addition; norms, activations and softmax are not counted by anyone.
namespace roofcast {

// One forward pass. Experts count as often as tokens meet them; a tied head is multiplied too; a
// lookup in the embedding table is no work.
struct ForwardFlops {
  std::map<std::string, Flops> products_by_part;  // "attention", "experts", "head", ...
  Flops products;                                 // their sum
  // Attention scores and weighted sums, 2 (d_k + d_v) H a pair of query and key, over
  // all pairs: s min(s, w) for a sequence of s tokens and a window of w, as if nothing were masked;
  Flops scores;
  // and over the pairs that a causal mask leaves: w s - w^2 / 2, with w = s without a window.
  Flops causal_scores;
  // States of recurrent layers: 6 operations a number and token (decay, product with the key,
  // product with the query).
  Flops recurrence;
};
// Sequences of these lengths, one after the other or packed: a token never sees another sequence,
// so the scores of a pack go with the sum of the squares. Lengths > 0.
ForwardFlops CountForwardFlops(const Llm& llm, const std::vector<std::int64_t>& lengths);

// What the field counts when it speaks of model FLOPs utilisation. A name is 6, for forward and
// twice as much backward, times the parameters of a token:
//   P  active, without the input embedding         (torchtitan, PaLM)
//   M  active and multiplied: no norms, no biases  (MaxText, Megatron-LM)
//   N  active, input embedding included            (the simplest rule)
// and, for attention, 12 L h s over all pairs or 6 L h s over those that a causal mask leaves;
// windows count as far as they reach.
inline constexpr std::string_view kDefaultFlopsConvention = "6P+12Lhs";
std::vector<std::string> FlopsConventions();

// Forward and backward of sequences of these lengths. Throws ArgumentError for an unknown
// convention.
Flops TrainingFlops(const Llm& llm,
                    const std::vector<std::int64_t>& lengths,
                    std::string_view convention);
// The same of one token of sequences of one length.
Flops TrainingFlopsPerToken(const Llm& llm, std::int64_t sequence, std::string_view convention);

// What of the forward pass is done once more in backward: the attention scores, or the layers. The
// head is never repeated.
enum class RepeatedWork : std::uint8_t { kNone, kScores, kLayers };
// Hardware FLOPs: model FLOPs and the repeated forward work, scores by the same convention
// [korthikanti2022].
Flops HardwareFlops(const Llm& llm,
                    const std::vector<std::int64_t>& lengths,
                    std::string_view convention,
                    RepeatedWork repeated);

}  // namespace roofcast
