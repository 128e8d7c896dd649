// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/text.h"
#include "models/llm/quantisation/rules.h"

// ModelOpt of NVIDIA, which writes the same keys into hf_quant_config.json and, newer, into
// config.json. Layouts: its exporter and vLLM's loader of each algorithm.
namespace roofcast::internal {
namespace {

MatrixFormat Fp8(std::int64_t rows, std::int64_t columns, std::int64_t matrix_scales) {
  MatrixFormat format;
  format.name = "fp8";
  format.block_rows = rows;
  format.block_columns = columns;
  format.matrix_scales = matrix_scales;
  return format;
}

MatrixFormat Packed(std::string name, DType dtype, std::int64_t group, DType scale_dtype) {
  MatrixFormat format;
  format.name = std::move(name);
  format.dtype = dtype;
  format.packing = MatrixFormat::Packing::kBytes;
  format.bits = 4;
  format.block_rows = 1;
  format.block_columns = group;
  format.scale_dtype = scale_dtype;
  format.whole_groups = true;
  return format;
}

// One object with a quant_algo: the whole file, or one of quantized_layers.
struct Algorithm {
  std::string name;
  std::optional<std::int64_t> group;
  bool factors = false;

  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

Algorithm ReadAlgorithm(ConfigReader& config) {
  Algorithm algorithm;
  algorithm.name = config.OptionalText({"quant_algo"}).value_or("");
  algorithm.group = config.OptionalSize({"group_size"});
  algorithm.factors = config.Flag("pre_quant_scale", false);
  if (config.Flag("has_zero_point", false)) {
    config.Complain("has_zero_point", "only false is understood", "");
  }
  return algorithm;
}

constexpr std::string_view kAlgorithms =
    "known: FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, W4A16_NVFP4, NVFP4_AWQ, W4A16_AWQ, "
    "W4A8_AWQ or MIXED_PRECISION";

MatrixFormat FormatOf(ConfigReader& config, const Algorithm& algorithm) {
  const std::string& name = algorithm.name;
  MatrixFormat format;
  format.name = "fp8";
  if (name == "FP8") {
    format = Fp8(0, 0, 1);  // and a scale of the inputs
  } else if (name == "FP8_PER_CHANNEL_PER_TOKEN") {
    format = Fp8(1, 0, 0);
  } else if (name == "FP8_PB_WO") {
    format = Fp8(128, 128, 0);
  } else if (name == "NVFP4" || name == "NVFP4_AWQ" || name == "W4A16_NVFP4") {
    format = Packed("nvfp4", DType::kFp4, algorithm.group.value_or(16), DType::kFp8);
    format.matrix_scales = name == "W4A16_NVFP4" ? 1 : 2;  // of the scales, of the inputs
  } else if (name == "W4A16_AWQ" || name == "W4A8_AWQ") {
    format = Packed("int4", DType::kInt4, algorithm.group.value_or(128), DType::kFp32);
    format.matrix_scales = name == "W4A8_AWQ" ? 2 : 0;
  } else {
    config.Complain("quant_algo",
                    name.empty() ? "is missing" : Quoted(name) + " is not understood",
                    std::string(kAlgorithms));
  }
  // Factors of the inputs that were folded into the norm before are not stored; which ones they
  // are doesn't show here, and all of them are a thousandth of the numbers.
  format.input_factors = algorithm.factors;
  return format;
}

void ReadKvAlgorithm(ConfigReader& config, QuantisationRules& rules) {
  struct Row {
    std::string_view name;
    DType dtype;
  };
  constexpr std::array kRows = {
      Row{"FP8", DType::kFp8}, Row{"INT8", DType::kInt8}, Row{"NVFP4", DType::kNvfp4}};
  const auto name = config.OptionalText({"kv_cache_quant_algo"});
  if (!name || name->empty()) return;
  for (const Row& row : kRows) {
    if (row.name == *name) rules.kv = row.dtype;
  }
  if (!rules.kv) {
    config.Complain(
        "kv_cache_quant_algo", Quoted(*name) + " is not understood", "known: FP8, INT8 or NVFP4");
  }
}

void ReadSingleLayers(ConfigReader& config, QuantisationRules& rules) {
  ConfigReader* layers = config.Inside("quantized_layers");
  if (layers == nullptr) return;
  std::vector<Algorithm> known;
  for (const std::string& name : layers->NamesInside()) {
    ConfigReader* layer = layers->Inside(name);
    auto pattern = ModulePattern::Parse(name);
    if (layer == nullptr || !pattern) continue;
    layer->MakeStrict();
    const Algorithm algorithm = ReadAlgorithm(*layer);
    std::size_t index = 0;
    while (index < known.size() && !(known[index] == algorithm)) ++index;
    if (index == known.size()) {
      known.push_back(algorithm);
      RuleGroup group;
      group.format = FormatOf(*layer, algorithm);
      group.all = false;
      group.reader = layer;
      rules.groups.push_back(std::move(group));
    }
    rules.groups[index].targets.push_back(*std::move(pattern));
  }
  if (rules.groups.empty() && config.ok()) {
    config.Complain("quantized_layers", "names no layer", "");
  }
}

}  // namespace

QuantisationRules ReadModelOpt(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  const Algorithm algorithm = ReadAlgorithm(config);
  rules.method = NormaliseName(algorithm.name);
  if (algorithm.name == "MIXED_PRECISION") {
    ReadSingleLayers(config, rules);
  } else {
    rules.with_head = true;
    rules.groups.push_back(RuleGroup::Everything(FormatOf(config, algorithm)));
  }
  ReadExclusions(config, {"exclude_modules", "ignore"}, rules);
  ReadKvAlgorithm(config, rules);
  ReadKvScheme(config, rules);
  config.Ignore({"producer", "config_groups"});
  return rules;
}

}  // namespace roofcast::internal
