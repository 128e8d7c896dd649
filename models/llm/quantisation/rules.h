// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/llm/config_reader.h"
#include "models/llm/matrix_format.h"
#include "models/llm/quantisation/module_pattern.h"

// What a quantisation says, before it is known which tensors that means (apply.cpp).
namespace roofcast::internal {

// Matrices of one format.
struct RuleGroup {
  static RuleGroup Everything(MatrixFormat format);

  MatrixFormat format;
  std::vector<ModulePattern> targets;  // by name; empty with `all`
  bool all = true;                     // every matrix that no other group names
  ConfigReader* reader = nullptr;      // what messages on the format point at
};

struct QuantisationRules {
  std::string method;
  std::vector<RuleGroup> groups;
  std::vector<ModulePattern> exclusions;
  std::string exclusions_key;  // as the file spells it
  bool experts_only = false;   // of the matrices that are not named, those of experts alone
  bool with_head = false;      // the LM head too, unless it is left out
  std::optional<DType> kv;
};

// Adds the names under `keys` to the exclusions.
void ReadExclusions(ConfigReader& config, ConfigReader::Keys keys, QuantisationRules& rules);

// The format of a KV cache whose scales the checkpoint has: `kv_cache_scheme` of
// compressed-tensors (an object) and of the class fp8 ("static").
void ReadKvScheme(ConfigReader& config, QuantisationRules& rules);

// Each reads the keys of one quant_method. `dtype`: what the checkpoint keeps beside them.
using ReadRules = QuantisationRules(ConfigReader& config, DType dtype);
ReadRules ReadAwq, ReadCompressedTensors, ReadFbgemmFp8, ReadFp8, ReadGptq, ReadModelOpt, ReadMxfp4;

}  // namespace roofcast::internal
