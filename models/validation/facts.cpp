// SPDX-License-Identifier: Apache-2.0
#include "models/validation/facts.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "models/validation/training_table.h"

namespace roofcast {

const std::string& Facts::Text(std::string_view name) const {
  static const std::string unknown;
  const auto found = values_.find(name);
  return found == values_.end() ? unknown : found->second;
}

void Facts::Add(std::string_view name, std::string_view value) {
  const std::string_view trimmed = Trim(value);
  if (!trimmed.empty()) values_.emplace(name, trimmed);
}

bool IsFactName(std::string_view name) {
  constexpr std::array<std::string_view, 10> kBeyondColumns = {
      "framework",        // who ran it, for groups
      "engine",           // the name of an engine with a training rule
      "micro_batches",    // of one step on one data-parallel rank
      "tied_embeddings",  // True or False
      "sequence_parallel",
      "stage_rule",    // a word of models/training_choices.h
      "logs_memory",   // True: allocated memory is what the engine's rule says is logged
      "job",           // its number
      "after_pp_fix",  // Hugging Face: the build after a repair of its pipelines
      "value_unit",    // where the column `unit` is wrong
  };
  const auto& columns = TrainingColumns();
  return std::find(columns.begin(), columns.end(), name) != columns.end() ||
         std::find(kBeyondColumns.begin(), kBeyondColumns.end(), name) != kBeyondColumns.end();
}

}  // namespace roofcast
