// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/llm/weight_recipe.h"

namespace roofcast::internal {

// The mixtures of llama-quantize by name: f16, q8_0, q6_k, q4_k_m and their like.
std::vector<WeightRecipe> GgufRecipes();

// Stores a model as llama-quantize would: which tensor takes which block format by the rules of
// llama_tensor_get_type [llama-cpp]. Norms, biases, routers and convolutions are kept in fp32; rows
// that the blocks don't divide take the wider format that is next. Taken as given: an importance
// matrix for the iq formats and none for the others, and MLA's kv_b as one tensor. Throws
// ArgumentError for families whose rules differ (Falcon).
void StoreAsGguf(const WeightRecipe& recipe, Llm& llm);

}  // namespace roofcast::internal
