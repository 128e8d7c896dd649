// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/llm/architecture.h"

namespace roofcast {

// A way of storing a model that its checkpoint isn't stored in: what --weights names beside number
// formats.
struct WeightRecipe {
  std::string_view name;  // "int4", "q4_k_m"
  DType dtype;            // that most of its numbers are in
  std::string_view how;   // what it means, for people
  bool gguf = false;      // by the tables of llama.cpp, see gguf.h
};
const std::vector<WeightRecipe>& WeightRecipes();

// A number format, or a recipe. A number format below 16 bits is stored as the recipe of its name.
struct WeightChoice {
  WeightChoice(DType plain) : dtype(plain) {}  // NOLINT: a DType is a choice
  explicit WeightChoice(const WeightRecipe& chosen) : dtype(chosen.dtype), recipe(&chosen) {}

  DType dtype;
  const WeightRecipe* recipe = nullptr;
};
std::optional<WeightChoice> FindWeights(std::string_view name);
// Names that FindWeights knows, number formats first.
std::vector<std::string> WeightNames();

// What the model is stored as when the user chooses so: the model itself where the checkpoint is
// stored in that format already, or where every tensor is to be in one wide format. Throws
// ArgumentError where the recipe doesn't say what to do with the model.
Llm WithWeights(const Llm& llm, const WeightChoice& choice);
// The recipe that WithWeights would follow, or nullptr.
const WeightRecipe* RecipeOf(const Llm& llm, const WeightChoice& choice);

}  // namespace roofcast
