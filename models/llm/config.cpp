// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config.h"

#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "models/llm/config_document.h"
#include "models/llm/config_node.h"
#include "models/llm/config_reader.h"
#include "models/llm/extras.h"
#include "models/llm/families/families.h"
#include "models/llm/quantisation.h"
#include "models/llm/quantisation/apply.h"

namespace roofcast {
namespace {

[[noreturn]] void Refuse(const ConfigNode& node,
                         const std::string& file,
                         std::string key,
                         std::string text,
                         std::string cure) {
  throw SpecError(
      {{{file, node.line, node.column}, std::move(key), std::move(text), std::move(cure)}});
}

const Family& FindFamily(const ConfigNode& root, const std::string& file) {
  const ConfigNode* type = root.Find("model_type");
  const std::string known = "known: " + JoinWithOr(KnownModelTypes());
  if (type == nullptr) Refuse(root, file, "", "'model_type' is missing", known);
  for (const Family& family : kFamilies) {
    if (type->kind == ConfigNode::Kind::kText && type->text == family.model_type) return family;
  }
  Refuse(*type, file, "model_type", Quoted(*type) + " is not understood", known);
}

// A classifier or a reward model has another head than the one we count.
void CheckArchitectures(ConfigReader& top) {
  for (const std::string& name : top.Texts({"architectures"})) {
    if (name.ends_with("ForCausalLM") || name.ends_with("ForConditionalGeneration")) continue;
    top.Complain("architectures",
                 Quoted(name) + " is not understood",
                 "known: names that end in ForCausalLM or ForConditionalGeneration");
  }
}

// Without a word in the file: bf16, in which every family here was published first.
DType ReadDType(ConfigReader& text, ConfigReader& top) {
  std::optional<std::string> name = text.OptionalText({"torch_dtype", "dtype"});
  if (!name) name = top.OptionalText({"torch_dtype", "dtype"});
  if (!name) return DType::kBf16;
  if (const auto dtype = FindDType(*name)) return *dtype;
  top.Complain("torch_dtype",
               Quoted(*name) + " is not a known number format",
               "write bfloat16, float16 or float32");
  return DType::kBf16;
}

// How the checkpoint is stored, and where the file says so.
struct Storage {
  std::optional<internal::QuantisationRules> rules;
  ConfigReader* config = nullptr;
};

Storage ReadStorage(ConfigReader& text, ConfigReader& top, DType dtype) {
  constexpr std::string_view kKey = "quantization_config";
  ConfigReader& owner = top.Given(kKey) || !text.Given(kKey) ? top : text;
  if (!owner.Given(kKey)) return {};
  ConfigReader* config = owner.Inside(kKey);
  if (config == nullptr) return {};
  return {ReadQuantisation(*config, dtype), config};
}

Storage ReadSideFile(ConfigReader& file, DType dtype) {
  ConfigReader* config = file.Inside("quantization");
  if (config == nullptr) return {};
  Storage storage = {ReadModelOptQuantisation(*config, dtype), config};
  config->RefuseUnread();
  return storage;
}

}  // namespace

Llm ParseLlm(const ConfigText& config,
             const std::string& name,
             const std::optional<ConfigText>& quantisation) {
  const ConfigNode root = ParseConfig(config.text, config.place);
  if (!root.IsMap()) Refuse(root, config.place, "", Quoted(root) + " is not a config.json", "");
  const Family& family = FindFamily(root, config.place);

  std::vector<Problem> problems;
  ConfigReader top(root, config.place, "", problems);
  top.Ignore({"model_type"});
  ConfigReader* text = family.nested ? top.Inside("text_config") : &top;
  if (text == nullptr) throw SpecError(std::move(problems));
  CheckArchitectures(top);

  Llm llm;
  llm.name = Printable(name);
  llm.model_type = family.model_type;
  llm.place = config.place;
  llm.dtype = ReadDType(*text, top);
  llm.max_length = text->OptionalSize({"max_position_embeddings"}).value_or(0);
  Storage storage = ReadStorage(*text, top, llm.dtype);
  // Newer tools write both; then config.json is what frameworks read.
  std::optional<ConfigNode> side;
  std::optional<ConfigReader> side_reader;
  if (!storage.rules && quantisation) {
    side = ParseConfig(quantisation->text, quantisation->place);
    side_reader.emplace(*side, quantisation->place, "", problems);
    storage = ReadSideFile(*side_reader, llm.dtype);
  }
  family.read(*text, top, llm);
  top.RefuseUnread();
  if (problems.empty() && storage.rules) {
    internal::ApplyRules(*storage.rules, *storage.config, llm);
  }
  if (!problems.empty()) throw SpecError(std::move(problems));
  AddStoredExtras(llm);
  return llm;
}

Llm ParseLlm(std::string_view config_json, const std::string& name, const std::string& file) {
  return ParseLlm({config_json, file}, name, std::nullopt);
}

std::vector<std::string> KnownModelTypes() {
  std::vector<std::string> types;
  types.reserve(kFamilies.size());
  for (const Family& family : kFamilies) types.emplace_back(family.model_type);
  return types;
}

}  // namespace roofcast
