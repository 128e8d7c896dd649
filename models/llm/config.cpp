// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "models/llm/config_document.h"
#include "models/llm/config_node.h"
#include "models/llm/config_reader.h"
#include "models/llm/extras.h"
#include "models/llm/families/families.h"
#include "models/llm/language_model.h"
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

// A classifier or a reward model has another head than the one we count. ChatGLMModel and
// InternVLChatModel have the LM head in them.
constexpr std::array<std::string_view, 5> kWithLmHead = {
    "ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "ChatGLMModel", "InternVLChatModel"};
constexpr std::array<std::string_view, 2> kEncoders = {"Model", "ForMaskedLM"};

template <std::size_t size>
void CheckArchitectures(ConfigReader& top, const std::array<std::string_view, size>& endings) {
  for (const std::string& name : top.Texts({"architectures"})) {
    const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
    if (std::any_of(endings.begin(), endings.end(), ends)) continue;
    top.Complain("architectures",
                 Quoted(name) + " is not understood",
                 "known: names that end in " + JoinWithOr({endings.begin(), endings.end()}));
  }
}

// Without a word in the file: bf16, which all of these are served in.
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

// What a wrapper says around its language model.
void ReadAround(ConfigReader& text, ConfigReader& top, const Wrapper& wrapper, Llm& llm) {
  constexpr std::string_view kTied = "tie_word_embeddings";
  // At either level; the language model's own word counts first.
  const bool outer = top.Flag(kTied, llm.tied_embeddings);
  if (!text.Given(kTied)) llm.tied_embeddings = outer;
  constexpr std::string_view kVision = "vision_config";
  if (!top.Given(kVision)) return;  // the language model alone
  if (ConfigReader* vision = top.Inside(kVision)) wrapper.read_tower(*vision, top, llm);
}

}  // namespace

Llm ParseLlm(const ConfigText& config,
             const std::string& name,
             const std::optional<ConfigText>& quantisation) {
  const ConfigNode root = ParseConfig(config.text, config.place);
  if (!root.IsMap()) Refuse(root, config.place, "", Quoted(root) + " is not a config.json", "");
  const Family& outer = FindFamily(root, config.place);

  std::vector<Problem> problems;
  ConfigReader top(root, config.place, "", problems);
  top.Ignore({"model_type"});
  const auto [text, family] = FindLanguageModel(top, outer);
  if (text == nullptr) throw SpecError(std::move(problems));
  if (family->encoder) {
    CheckArchitectures(top, kEncoders);
  } else {
    CheckArchitectures(top, kWithLmHead);
  }

  Llm llm;
  llm.name = Printable(name);
  llm.model_type = outer.model_type;
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
  family->read(*text, top, llm);
  if (outer.wrapper) ReadAround(*text, top, *outer.wrapper, llm);
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
