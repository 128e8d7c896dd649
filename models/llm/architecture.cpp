// SPDX-License-Identifier: Apache-2.0
#include "models/llm/architecture.h"

#include <algorithm>

namespace roofcast {

void Llm::Append(const Layer& layer) {
  auto kind = std::find(kinds.begin(), kinds.end(), layer);
  if (kind == kinds.end()) kind = kinds.insert(kinds.end(), layer);
  layers.push_back(static_cast<std::int32_t>(kind - kinds.begin()));
}

}  // namespace roofcast
