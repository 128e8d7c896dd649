// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/quantity.h"
#include "models/llm/architecture.h"
#include "models/parallelism/lower.h"

namespace roofcast::bench {

// A small language model of the Llama kind, the largest about the size of GPT-2 small.
struct SmallModel {
  std::string name;
  std::string config;  // its config.json
  Llm llm;
};
// With so many layers that the weights are four times the last level of cache at least: those of a
// model that fits into it would not come from memory.
std::vector<SmallModel> SmallModels(bool quick, DType dtype, std::optional<Bytes> last_level_cache);

// Prompts and decode steps that each of them runs.
std::vector<Pass> SmallPasses(bool quick);

// "prefill 2 x 96", "decode 4 x 1 after 512".
std::string NameOf(const Pass& pass);

}  // namespace roofcast::bench
