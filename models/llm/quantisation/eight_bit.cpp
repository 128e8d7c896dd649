// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/text.h"
#include "models/llm/quantisation/rules.h"

// fp8 of transformers and vLLM, fbgemm_fp8 of Meta, and mxfp4 of gpt-oss.
namespace roofcast::internal {

QuantisationRules ReadFp8(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  rules.method = "fp8";
  MatrixFormat format;
  format.name = "fp8";
  const std::string written = config.OptionalText({"fmt"}).value_or("e4m3");
  if (written != "e4m3" && written != "float8_e4m3fn") {
    config.Complain("fmt", Quoted(written) + " is not understood", "known: e4m3 or float8_e4m3fn");
  }
  // Without weight_block_size the class of transformers keeps one scale a tensor.
  if (config.Given("weight_block_size")) {
    const auto block = config.Counts("weight_block_size");
    if (block.size() == 2 && block[0] > 0 && block[1] > 0) {
      format.block_rows = block[0];
      format.block_columns = block[1];
    } else if (config.ok()) {
      config.Complain("weight_block_size", "needs two positive numbers: rows and columns", "");
    }
  }
  const std::string scheme = config.OptionalText({"activation_scheme"}).value_or("dynamic");
  if (scheme == "static") {
    format.matrix_scales = 1;  // of the inputs
  } else if (scheme != "dynamic") {
    config.Complain(
        "activation_scheme", Quoted(scheme) + " is not understood", "known: dynamic or static");
  }
  rules.groups.push_back(RuleGroup::Everything(format));
  ReadExclusions(config, {"modules_to_not_convert", "ignored_layers"}, rules);
  ReadKvScheme(config, rules);
  config.Ignore({"scale_fmt"});
  return rules;
}

QuantisationRules ReadFbgemmFp8(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  rules.method = "fbgemm_fp8";
  MatrixFormat format;
  format.name = "fp8";
  format.block_rows = 1;
  rules.groups.push_back(RuleGroup::Everything(format));
  ReadExclusions(config, {"modules_to_not_convert"}, rules);
  config.Ignore({"activation_scale_ub"});  // set when the model is loaded
  return rules;
}

QuantisationRules ReadMxfp4(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  rules.method = "mxfp4";
  rules.experts_only = true;
  // OCP microscaling: 32 values along the inputs share one 8-bit exponent.
  MatrixFormat format;
  format.name = "mxfp4";
  format.dtype = DType::kFp4;
  format.packing = MatrixFormat::Packing::kBytes;
  format.block_rows = 1;
  format.block_columns = 32;
  format.scale_dtype = DType::kFp8;
  format.scales_are_exponents = true;
  rules.groups.push_back(RuleGroup::Everything(format));
  ReadExclusions(config, {"modules_to_not_convert"}, rules);
  return rules;
}

}  // namespace roofcast::internal
