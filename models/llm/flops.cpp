// SPDX-License-Identifier: Apache-2.0
#include "models/llm/flops.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/scalar.h"
#include "core/text.h"
#include "models/llm/parameters.h"
#include "models/llm/part.h"

namespace roofcast {
namespace {

enum class Counted : std::uint8_t { kWithoutInputEmbedding, kMultiplied, kAll };

struct Convention {
  std::string_view name;
  Counted parameters;
  enum class Scores : std::uint8_t { kNone, kAllPairs, kCausalPairs } scores;
};
using Scores = Convention::Scores;

constexpr std::array kConventions = {
    Convention{kDefaultFlopsConvention, Counted::kWithoutInputEmbedding, Scores::kAllPairs},
    Convention{"6P+6Lhs", Counted::kWithoutInputEmbedding, Scores::kCausalPairs},
    Convention{"6P", Counted::kWithoutInputEmbedding, Scores::kNone},
    Convention{"6M+12Lhs", Counted::kMultiplied, Scores::kAllPairs},
    Convention{"6M+6Lhs", Counted::kMultiplied, Scores::kCausalPairs},
    Convention{"6M", Counted::kMultiplied, Scores::kNone},
    Convention{"6N+12Lhs", Counted::kAll, Scores::kAllPairs},
    Convention{"6N+6Lhs", Counted::kAll, Scores::kCausalPairs},
    Convention{"6N", Counted::kAll, Scores::kNone},
};

const Convention& FindConvention(std::string_view name) {
  const auto* found =
      std::find_if(kConventions.begin(), kConventions.end(), [&](const Convention& c) {
        return NormaliseName(c.name) == NormaliseName(name);
      });
  if (found != kConventions.end()) return *found;
  throw ArgumentError("flops-convention: unknown '" + Printable(name) + "'; use " +
                      JoinWithOr(FlopsConventions()));
}

// Pairs of query and key in one sequence, all of them and those that a causal mask leaves.
struct Pairs {
  double all = 0;
  double causal = 0;
};
Pairs PairsOf(const AttentionLayer& attention, bool causal, std::int64_t length) {
  std::int64_t window = length;
  if (attention.IsWindowed()) window = attention.window;
  if (attention.index_heads > 0) window = attention.index_tokens;
  const double tokens = Number(length);
  const double seen = Number(std::min(length, window));
  Pairs pairs{tokens * seen, tokens * seen - seen * seen / 2};
  if (attention.kind == AttentionKind::kChunked) {
    // Whole chunks and a last one, each a sequence of its own.
    const double rest = Number(length % window);
    pairs.all = Number(length / window) * Number(window) * Number(window) + rest * rest;
    pairs.causal = pairs.all / 2;
  }
  if (!causal) pairs.causal = pairs.all;
  return pairs;
}

Flops WorkOfParameters(const Llm& llm, Counted counted) {
  if (counted == Counted::kMultiplied) return MatmulFlopsPerToken(llm);
  const ParameterCounts counts = CountParameters(llm);
  return Flops(2 * Number(counted == Counted::kAll ? counts.active_with_embeddings
                                                   : counts.active_without_input_embedding));
}

Flops ScoresBy(const ForwardFlops& forward, Scores scores) {
  if (scores == Scores::kNone) return {};
  return scores == Scores::kAllPairs ? forward.scores : forward.causal_scores;
}

double Tokens(const std::vector<std::int64_t>& lengths) {
  double tokens = 0;
  for (const std::int64_t length : lengths) tokens += Number(length);
  return tokens;
}

}  // namespace

ForwardFlops CountForwardFlops(const Llm& llm, const std::vector<std::int64_t>& lengths) {
  ForwardFlops forward;
  const double tokens = Tokens(lengths);
  for (const auto& [part, flops] : MatmulFlopsByPart(llm)) {
    forward.products_by_part[part] = flops * tokens;
    forward.products += flops * tokens;
  }
  const std::vector<std::int64_t> layers = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    const Layer& layer = llm.kinds[kind];
    const AttentionLayer& a = layer.attention;
    const double times = Number(layers[kind]);
    for (const std::int64_t length : lengths) {
      const Pairs pairs = PairsOf(a, llm.causal, length);
      // An indexer scores every pair, over its own narrow heads.
      const double tokens_squared = Number(length) * Number(length);
      const double index = 2 * Number(a.index_heads * a.index_dim) * tokens_squared;
      const double each = 2 * Number(a.heads * (a.head_dim + a.value_dim));
      forward.scores += Flops(times * (each * pairs.all + index));
      forward.causal_scores += Flops(times * (each * pairs.causal + index / 2));
    }
    constexpr double kOperations = 6;
    forward.recurrence +=
        Flops(times * tokens * kOperations * Number(layer.recurrent.StateNumbers()));
  }
  return forward;
}

std::vector<std::string> FlopsConventions() {
  std::vector<std::string> names;
  names.reserve(kConventions.size());
  for (const Convention& convention : kConventions) names.emplace_back(convention.name);
  return names;
}

Flops HardwareFlops(const Llm& llm,
                    const std::vector<std::int64_t>& lengths,
                    std::string_view convention,
                    RepeatedWork repeated) {
  const Convention& counted = FindConvention(convention);
  const ForwardFlops forward = CountForwardFlops(llm, lengths);
  const Flops products = WorkOfParameters(llm, counted.parameters) * Tokens(lengths);
  const Flops scores = ScoresBy(forward, counted.scores);
  Flops work = 3.0 * (products + scores);
  if (repeated != RepeatedWork::kNone) work += scores;
  if (repeated == RepeatedWork::kLayers) {
    for (const auto& [part, of_part] : forward.products_by_part) {
      if (part != NameOf(Part::kHead)) work += of_part;
    }
  }
  return work;
}

Flops TrainingFlops(const Llm& llm,
                    const std::vector<std::int64_t>& lengths,
                    std::string_view convention) {
  return HardwareFlops(llm, lengths, convention, RepeatedWork::kNone);
}

Flops TrainingFlopsPerToken(const Llm& llm, std::int64_t sequence, std::string_view convention) {
  return TrainingFlops(llm, {sequence}, convention) / Number(sequence);
}

}  // namespace roofcast
