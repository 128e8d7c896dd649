// SPDX-License-Identifier: Apache-2.0
#include "models/steps/flops.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/scalar.h"
#include "core/text.h"
#include "models/llm/parameters.h"

namespace roofcast {
namespace {

struct Convention {
  std::string_view name;
  bool input_embedding;  // counted among the parameters
  double attention;      // 1: all pairs, 0.5: causal pairs, 0: none
};
constexpr std::array kConventions = {
    Convention{kDefaultFlopsConvention, false, 1},
    Convention{"6P+6Lhs", false, 0.5},
    Convention{"6P", false, 0},
    Convention{"6N+12Lhs", true, 1},
    Convention{"6N", true, 0},
};

}  // namespace

std::vector<std::string> FlopsConventions() {
  std::vector<std::string> names;
  names.reserve(kConventions.size());
  for (const Convention& convention : kConventions) names.emplace_back(convention.name);
  return names;
}

Flops TrainingFlopsPerToken(const Llm& llm, std::int64_t sequence, std::string_view convention) {
  const auto found = std::find_if(kConventions.begin(),
                                  kConventions.end(),
                                  [&](const Convention& c) { return c.name == convention; });
  if (found == kConventions.end()) {
    throw ArgumentError("flops-convention: unknown '" + Printable(convention) + "'; use " +
                        JoinWithOr(FlopsConventions()));
  }
  const ParameterCounts counts = CountParameters(llm);
  const auto parameters = Number(found->input_embedding ? counts.active_with_embeddings
                                                        : counts.active_without_input_embedding);
  double scores = 0;
  for (const std::int32_t kind : llm.layers) {
    const AttentionLayer& a = llm.kinds[static_cast<std::size_t>(kind)].attention;
    const std::int64_t seen =
        a.IsWindowed() ? std::min(sequence, a.window) : sequence;
    scores += Number(a.heads * (a.head_dim + a.value_dim)) * Number(seen);
  }
  return Flops(6 * parameters + 6 * scores * found->attention);
}

}  // namespace roofcast
