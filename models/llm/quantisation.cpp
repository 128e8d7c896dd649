// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace roofcast {

std::optional<internal::QuantisationRules> ReadModelOptQuantisation(ConfigReader& config,
                                                                    DType dtype) {
  config.MakeStrict();
  return internal::ReadModelOpt(config, dtype);
}

std::optional<internal::QuantisationRules> ReadQuantisation(ConfigReader& config, DType dtype) {
  struct Method {
    std::string_view name;
    internal::ReadRules* read;
  };
  constexpr std::array kMethods = {Method{"awq", internal::ReadAwq},
                                   Method{"compressed-tensors", internal::ReadCompressedTensors},
                                   Method{"fbgemm_fp8", internal::ReadFbgemmFp8},
                                   Method{"fp8", internal::ReadFp8},
                                   Method{"gptq", internal::ReadGptq},
                                   Method{"modelopt", internal::ReadModelOpt},
                                   Method{"mxfp4", internal::ReadMxfp4}};

  const auto name = config.OptionalText({"quant_method"});
  std::vector<std::string> known;
  for (const Method& method : kMethods) {
    if (name == method.name) {
      config.MakeStrict();
      return method.read(config, dtype);
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
