// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation/rules.h"

#include <utility>

#include "core/text.h"

namespace roofcast::internal {

RuleGroup RuleGroup::Everything(MatrixFormat format) {
  RuleGroup group;
  group.format = std::move(format);
  return group;
}

void ReadExclusions(ConfigReader& config, ConfigReader::Keys keys, QuantisationRules& rules) {
  rules.exclusions_key = *keys.begin();
  for (const std::string_view key : keys) {
    if (config.Given(key)) rules.exclusions_key = key;
  }
  for (const std::string& text : config.Texts(keys)) {
    if (auto pattern = ModulePattern::Parse(text)) {
      rules.exclusions.push_back(*std::move(pattern));
    } else {
      config.Complain(rules.exclusions_key,
                      "leaving out " + Quoted(text) + " is not understood",
                      "write it without look-ahead and back-references");
    }
  }
}

void ReadKvScheme(ConfigReader& config, QuantisationRules& rules) {
  constexpr std::string_view kKey = "kv_cache_scheme";
  if (!config.Given(kKey)) return;
  if (!config.Find(kKey)->IsMap()) {
    const std::string scheme = config.OptionalText({kKey}).value_or("static");
    if (scheme != "static") {
      config.Complain(kKey, Quoted(scheme) + " is not understood", "known: static");
    }
    rules.kv = DType::kFp8;
    return;
  }
  ConfigReader* scheme = config.Inside(kKey);
  if (scheme == nullptr) return;
  const std::int64_t bits = scheme->Size("num_bits", 64);
  const std::string type = scheme->OptionalText({"type"}).value_or("float");
  scheme->Ignore({"actorder",
                  "block_structure",
                  "dynamic",
                  "group_size",
                  "observer",
                  "observer_kwargs",
                  "scale_dtype",
                  "strategy",
                  "symmetric",
                  "zp_dtype"});
  if (bits == 8 && (type == "float" || type == "int")) {
    rules.kv = type == "float" ? DType::kFp8 : DType::kInt8;
  } else if (bits == 4 && type == "float") {
    rules.kv = DType::kNvfp4;
  } else {
    config.Complain(kKey,
                    std::to_string(bits) + " bits of type " + Quoted(type) + " are not understood",
                    "known: float of 8 or 4 bits, int of 8");
  }
}

}  // namespace roofcast::internal
