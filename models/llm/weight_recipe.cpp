// SPDX-License-Identifier: Apache-2.0
#include "models/llm/weight_recipe.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "models/llm/gguf.h"
#include "models/llm/quantisation/apply.h"

namespace roofcast {
namespace {

// One format for every matrix of the layers, as the tool that `how` names stores it.
MatrixFormat FormatOfRecipe(const WeightRecipe& recipe, DType dtype) {
  MatrixFormat format = PlainFormat(recipe.dtype);
  format.name = recipe.name;
  format.has_scales = true;
  if (recipe.name == "fp8") return format;  // one scale a matrix
  format.block_rows = 1;
  format.scale_dtype = dtype;
  if (recipe.name == "int8") return format;  // one scale an output
  if (recipe.name == "fp6") {
    format.has_scales = false;
  } else if (recipe.name == "int4") {
    format.packing = MatrixFormat::Packing::kWords;
    format.bits = 4;
    format.block_columns = 128;
    format.shape_numbers = 2;
  } else if (recipe.name == "nvfp4") {
    format.block_columns = 16;
    format.scale_dtype = DType::kFp8;
    format.matrix_scales = 2;
  } else if (recipe.name == "mxfp4") {
    format.block_columns = 32;
    format.scale_dtype = DType::kFp8;
    format.scales_are_exponents = true;
  } else {  // awq, gptq
    format.packing = MatrixFormat::Packing::kWords;
    format.bits = 4;
    format.block_columns = 128;
    format.scale_dtype = DType::kFp16;
    format.zero_points = true;
    format.input_order = recipe.name == "gptq";
  }
  return format;
}

const WeightRecipe* FindRecipe(std::string_view name) {
  const std::string folded = NormaliseName(name);
  for (const WeightRecipe& recipe : WeightRecipes()) {
    if (folded == NormaliseName(recipe.name)) return &recipe;
  }
  return nullptr;
}

}  // namespace

const std::vector<WeightRecipe>& WeightRecipes() {
  static const std::vector<WeightRecipe> rows = [] {
    std::vector<WeightRecipe> all = {
        {"fp8", DType::kFp8, "one fp32 scale a matrix, as vLLM narrows it on loading"},
        {"int8", DType::kInt8, "one 16-bit scale an output, as llm-compressor writes it"},
        {"fp6", DType::kFp6, "without scales"},
        {"int4", DType::kInt4, "a 16-bit scale for 128 inputs, as llm-compressor writes W4A16"},
        {"nvfp4", DType::kFp4, "an fp8 scale for 16 inputs, as ModelOpt writes it"},
        {"mxfp4", DType::kFp4, "an 8-bit exponent for 32 inputs (OCP microscaling)"},
        {"awq",
         DType::kInt4,
         "a 16-bit scale and a zero point for 128 inputs, as AutoAWQ writes it"},
        {"gptq",
         DType::kInt4,
         "a 16-bit scale and a zero point for 128 inputs and the group of each input, "
         "as GPTQModel writes it"},
    };
    for (const WeightRecipe& recipe : internal::GgufRecipes()) all.push_back(recipe);
    return all;
  }();
  return rows;
}

std::optional<WeightChoice> FindWeights(std::string_view name) {
  if (const auto dtype = FindDType(name)) return WeightChoice(*dtype);
  if (const WeightRecipe* recipe = FindRecipe(name)) return WeightChoice(*recipe);
  return std::nullopt;
}

std::vector<std::string> WeightNames() {
  std::vector<std::string> names;
  for (const DTypeRow& row : DTypes()) names.emplace_back(row.name);
  for (const WeightRecipe& recipe : WeightRecipes()) {
    if (std::find(names.begin(), names.end(), recipe.name) == names.end()) {
      names.emplace_back(recipe.name);
    }
  }
  return names;
}

const WeightRecipe* RecipeOf(const Llm& llm, const WeightChoice& choice) {
  const MatrixFormat* stored = llm.quantisation ? &llm.quantisation->Main() : nullptr;
  if (choice.recipe != nullptr) {
    return stored != nullptr && stored->name == choice.recipe->name ? nullptr : choice.recipe;
  }
  if (stored != nullptr && stored->dtype == choice.dtype) return nullptr;
  if (choice.dtype == DType::kFp4) return FindRecipe("nvfp4");
  return FindRecipe(NameOf(choice.dtype));
}

Llm WithWeights(const Llm& llm, const WeightChoice& choice) {
  const WeightRecipe* recipe = RecipeOf(llm, choice);
  if (recipe == nullptr) return llm;
  Llm stored = llm;
  if (recipe->gguf) {
    internal::StoreAsGguf(*recipe, stored);
  } else {
    const DType wide = BytesOf(llm.dtype) >= Bytes(2) ? llm.dtype : DType::kBf16;
    Quantisation quantisation;
    quantisation.method = recipe->name;
    quantisation.formats = {FormatOfRecipe(*recipe, wide)};
    internal::StoreBy(
        std::move(quantisation),
        [](std::int64_t layer, const Tensor& tensor) {
          const bool covered = layer >= 0 && IsQuantisable(tensor);
          return covered ? std::optional<std::int32_t>(0) : std::nullopt;
        },
        stored);
  }
  return stored;
}

}  // namespace roofcast
