// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace roofcast {
namespace {

constexpr std::string_view kHead = "lm_head";

// Modules that no quantisation here covers anyway, by the last word of their name. "re:.*gate$"
// and "*lm_head" are patterns, whose signs are dropped first.
bool NeverQuantised(std::string_view module) {
  constexpr std::array<std::string_view, 6> kWords = {
      kHead, "embed_tokens", "gate", "router", "shared_expert_gate", "e_score_correction_bias"};
  if (module.starts_with("re:")) module.remove_prefix(3);
  for (const std::string_view part : {"vision", "visual", "multi_modal"}) {
    if (module.find(part) != std::string_view::npos) return true;
  }
  std::string name;
  for (const char c : module) {
    if (c == '.') name.clear();
    if (std::string_view(".*^$\\").find(c) == std::string_view::npos) name += c;
  }
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end() || name.ends_with("norm");
}

bool IsSelfAttention(std::string_view module) {
  return module.ends_with("self_attn");
}

// Refuses what is left out beyond the modules that stay as they are in every checkpoint.
// `head_named`: the format quantises the LM head unless the list names it.
void CheckExclusions(ConfigReader& config,
                     ConfigReader::Keys keys,
                     bool experts_only,
                     bool head_named) {
  bool head = !head_named;
  std::vector<std::string> unknown;
  for (const std::string& module : config.Texts(keys)) {
    head = head || module.find(kHead) != std::string::npos;
    if (NeverQuantised(module) || (experts_only && IsSelfAttention(module))) continue;
    unknown.push_back(module);
  }
  if (!unknown.empty()) {
    const std::string others =
        unknown.size() == 1 ? "" : " and " + std::to_string(unknown.size() - 1) + " more";
    config.Complain(
        *keys.begin(), "leaving out " + Quoted(unknown[0]) + others + " is not understood", "");
  }
  if (!head) {
    config.Complain(
        *keys.begin(), "a quantised lm_head is not understood", "name lm_head here if it is not");
  }
}

Quantisation ReadFp8(ConfigReader& config) {
  Quantisation result;
  result.method = "fp8";
  const std::string format = config.OptionalText({"fmt"}).value_or("e4m3");
  if (format != "e4m3" && format != "float8_e4m3fn") {
    config.Complain(
        "fmt", Quoted(format) + " is not understood", "known: e4m3, also as float8_e4m3fn");
  }
  // Without weight_block_size the class of transformers keeps one scale a tensor.
  if (config.Given("weight_block_size")) {
    const auto block = config.Counts("weight_block_size");
    if (block.size() == 2 && block[0] > 0 && block[1] > 0) {
      result.block_rows = block[0];
      result.block_columns = block[1];
    } else if (config.ok()) {
      config.Complain("weight_block_size", "needs two positive numbers: rows and columns", "");
    }
  }
  CheckExclusions(config, {"modules_to_not_convert", "ignored_layers"}, false, false);
  config.Ignore({"activation_scheme", "scale_fmt", "kv_cache_scheme"});
  return result;
}

Quantisation ReadMxfp4(ConfigReader& config) {
  CheckExclusions(config, {"modules_to_not_convert"}, true, false);
  // OCP microscaling: 32 values along the inputs share one 8-bit exponent.
  return {"mxfp4", DType::kFp4, 1, 32, DType::kFp8, true};
}

// ModelOpt writes the same keys into hf_quant_config.json and, newer, into config.json.
Quantisation ReadModelOpt(ConfigReader& config) {
  Quantisation result;
  const std::string algorithm = config.OptionalText({"quant_algo"}).value_or("");
  result.method = NormaliseName(algorithm);
  if (algorithm == "NVFP4") {
    const std::int64_t group = config.OptionalSize({"group_size"}).value_or(16);
    result = {"nvfp4", DType::kFp4, 1, group, DType::kFp8, false};
  } else if (algorithm != "FP8") {
    config.Complain("quant_algo",
                    algorithm.empty() ? "is missing" : Quoted(algorithm) + " is not understood",
                    "known: FP8 or NVFP4");
  }
  CheckExclusions(config, {"exclude_modules", "ignore"}, false, true);
  config.Ignore({"kv_cache_quant_algo", "kv_cache_scheme", "producer", "config_groups"});
  return result;
}

Quantisation ReadCompressedTensors(ConfigReader& config) {
  Quantisation result;
  result.method = "compressed-tensors";
  CheckExclusions(config, {"ignore"}, false, true);
  config.Ignore(
      {"format", "kv_cache_scheme", "quantization_status", "version", "global_compression_ratio"});
  ConfigReader* groups = config.Inside("config_groups");
  if (groups == nullptr) return result;
  groups->MakeStrict();  // a second group is refused by its name
  ConfigReader* group = groups->Inside("group_0");
  ConfigReader* weights = group == nullptr ? nullptr : group->Inside("weights");
  if (weights == nullptr) return result;
  group->Ignore({"format", "input_activations", "output_activations"});
  for (const std::string& target : group->Texts({"targets"})) {
    if (target != "Linear") {
      group->Complain("targets", Quoted(target) + " is not understood", "known: Linear");
    }
  }

  if (weights->Size("num_bits") != 8) {
    weights->Complain("num_bits", "only 8 bits are understood here", "");
  }
  const std::string type = weights->OptionalText({"type"}).value_or("");
  if (type == "int") {
    result.dtype = DType::kInt8;
  } else if (type != "float") {
    weights->Complain("type", Quoted(type) + " is not understood", "known: float or int");
  }
  const std::string strategy = weights->OptionalText({"strategy"}).value_or("");
  const auto block = weights->Counts("block_structure");
  if (strategy == "channel") {
    result.block_rows = 1;
  } else if (strategy == "block" && block.size() == 2 && block[0] > 0 && block[1] > 0) {
    result.block_rows = block[0];
    result.block_columns = block[1];
  } else if (strategy != "tensor") {
    weights->Complain("strategy",
                      Quoted(strategy) + " is not understood",
                      "known: tensor, channel, or block with a block_structure");
  }
  result.scale_dtype = DType::kBf16;  // the library stores scales in the dtype of the model
  return result;
}

}  // namespace

std::optional<Quantisation> ReadModelOptQuantisation(ConfigReader& config) {
  config.MakeStrict();
  return ReadModelOpt(config);
}

std::optional<Quantisation> ReadQuantisation(ConfigReader& config) {
  struct Method {
    std::string_view name;
    Quantisation (*read)(ConfigReader&);
  };
  constexpr std::array kMethods = {Method{"compressed-tensors", ReadCompressedTensors},
                                   Method{"fp8", ReadFp8},
                                   Method{"modelopt", ReadModelOpt},
                                   Method{"mxfp4", ReadMxfp4}};

  const auto name = config.OptionalText({"quant_method"});
  std::vector<std::string> known;
  for (const Method& method : kMethods) {
    if (name == method.name) {
      config.MakeStrict();
      return method.read(config);
    }
    known.emplace_back(method.name);
  }
  if (!name) {
    config.Missing("quant_method", "known: " + JoinWithOr(known));
  } else {
    config.Complain(
        "quant_method", Quoted(*name) + " is not understood", "known: " + JoinWithOr(known));
  }
  return std::nullopt;
}

}  // namespace roofcast
