// SPDX-License-Identifier: Apache-2.0
#include "models/llm/architecture.h"

#include <algorithm>

namespace roofcast {

std::int64_t RecurrentLayer::ConvolvedChannels() const {
  return kind == RecurrentKind::kMamba ? Inner() : Inner() + 2 * key_heads * state_dim;
}

const MatrixFormat* Quantisation::FormatOf(std::int32_t storage,
                                           Part part,
                                           std::string_view tensor) const {
  const auto index = static_cast<std::size_t>(storage);
  if (index >= choices.size()) return nullptr;
  for (const Choice& choice : choices[index]) {
    if (choice.part == part && choice.tensor == tensor) {
      return &formats[static_cast<std::size_t>(choice.format)];
    }
  }
  return nullptr;
}

std::vector<std::int64_t> Llm::KindCounts(std::int64_t first, std::int64_t last) const {
  std::vector<std::int64_t> counts(kinds.size(), 0);
  for (std::int64_t i = first; i < last; ++i) {
    ++counts[static_cast<std::size_t>(layers[static_cast<std::size_t>(i)])];
  }
  return counts;
}

void Llm::Append(const Layer& layer) {
  auto kind = std::find(kinds.begin(), kinds.end(), layer);
  if (kind == kinds.end()) kind = kinds.insert(kinds.end(), layer);
  layers.push_back(static_cast<std::int32_t>(kind - kinds.begin()));
}

}  // namespace roofcast
