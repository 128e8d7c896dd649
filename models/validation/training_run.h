// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/llm/architecture.h"
#include "models/parallelism/plan.h"
#include "models/validation/dense_model.h"
#include "models/validation/facts.h"

namespace roofcast {

// What ran in one row of a training table, everything that a prediction of its memory needs.
struct TrainingRun {
  DenseShape shape;
  Llm llm;
  Plan plan;
  std::int64_t devices = 0;
  std::int64_t sequence = 0;       // tokens
  std::int64_t micro_batches = 0;  // of one step on one data-parallel rank
  std::string engine;              // by name
};

// Reads a run from the facts of its row. What isn't known is never guessed: throws ArgumentError
// with the first reason why the row can't be predicted, the same words for rows that lack the same.
TrainingRun ReadTrainingRun(const Facts& facts);

}  // namespace roofcast
