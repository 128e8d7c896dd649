// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/llm/tensors.h"

namespace roofcast::internal {

// What checkpoints call the modules that hold a tensor of a layer, below "model.layers.N.": all
// spellings of the families, since no two of them call different things by one name. "{}" stands
// for the number of an expert. Empty for tensors that no module of a quantisation holds.
const std::vector<std::string_view>& ModuleNamesOf(const Tensor& tensor);

// What stands before "N." in the names of layers that a pattern with these words may mean.
std::vector<std::string_view> LayerPrefixes(std::string_view pattern);

// Whether the name is of a module that stays as it is in every checkpoint: norms, routers, the
// token table, convolutions, other modalities. "re:.*gate$" and "*lm_head" are patterns, whose
// signs are dropped first.
bool NeverQuantised(std::string_view module);

}  // namespace roofcast::internal
