// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <string>

#include "core/catalog.h"
#include "core/error.h"
#include "core/text.h"
#include "models/llm/config.h"
#include "models/llm/config_document.h"
#include "models/llm/config_node.h"
#include "models/llm/described/megatron.h"
#include "models/llm/described/spec.h"
#include "models/llm/hub_cache.h"

namespace roofcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kQuantisation = "hf_quant_config.json";

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// What ModelOpt leaves beside a config: in the same folder, or, where several configs share one,
// under the name of the config.
fs::path QuantisationBeside(const fs::path& config) {
  if (config.filename() == kConfig) return config.parent_path() / kQuantisation;
  return config.parent_path() / (config.stem().string() + "." + std::string(kQuantisation));
}

// By its ending: a description by hand, arguments of Megatron-LM, or else a config.json with what
// lies beside it.
Llm Parse(const CatalogFile& file,
          const std::string& name,
          const std::optional<ConfigText>& quantisation) {
  if (file.place.ends_with(".yaml") || file.place.ends_with(".yml")) {
    return ParseDescribedLlm(file.text, name, file.place);
  }
  if (file.place.ends_with(".args")) return ParseMegatronArguments(file.text, name, file.place);
  return ParseLlm({file.text, file.place}, name, quantisation);
}

Llm LoadFile(const fs::path& path, const std::string& name) {
  const CatalogFile config = ReadUserFile(path.string());
  const fs::path beside = QuantisationBeside(path);
  if (!IsFile(beside)) return Parse(config, name, std::nullopt);
  const CatalogFile quantisation = ReadUserFile(beside.string());
  return Parse(config, name, ConfigText{quantisation.text, quantisation.place});
}

Llm LoadFolder(const fs::path& folder) {
  fs::path named = folder.has_filename() ? folder : folder.parent_path();
  std::error_code error;
  if (const fs::path whole = fs::absolute(named, error); !error) named = whole.lexically_normal();
  if (!named.has_filename()) named = named.parent_path();
  return LoadFile(folder / kConfig, named.filename().string());
}

Llm LoadPath(const fs::path& path) {
  if (IsFolder(path)) return LoadFolder(path);
  if (path.filename() == kConfig && IsFile(path)) {
    return LoadFolder(path.has_parent_path() ? path.parent_path() : fs::path("."));
  }
  return LoadFile(path, path.stem().string());
}

// "_aliases" of a zoo file: ids of the Hub with the same dims.
bool HasAlias(const CatalogFile& file, const std::string& wanted) {
  if (file.text.find("\"_aliases\"") == std::string_view::npos) return false;
  try {
    const ConfigNode root = ParseConfig(file.text, file.place);
    const ConfigNode* aliases = root.Find("_aliases");
    if (aliases == nullptr) return false;
    for (const ConfigNode& alias : aliases->items) {
      const std::string name = NormaliseName(alias.text);
      if (name == wanted || name.substr(name.find('/') + 1) == wanted) return true;
    }
  } catch (const SpecError&) {
    // A broken file of the user must not hide the other models; naming it shows what is wrong.
  }
  return false;
}

std::optional<Llm> LoadFromCatalog(std::string_view name, const std::vector<CatalogFile>& files) {
  const std::string wanted = NormaliseName(name);
  for (const CatalogFile& file : files) {
    if (NormaliseName(file.name) != wanted) continue;
    if (!file.unreadable.empty()) throw NotFoundError(file.unreadable);
    return Parse(file, file.name, std::nullopt);
  }
  for (const CatalogFile& file : files) {
    if (HasAlias(file, wanted)) return ParseLlm(file.text, file.name, file.place);
  }
  return std::nullopt;
}

[[noreturn]] void RefuseName(std::string_view name, const std::vector<CatalogFile>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const CatalogFile& file : files) names.push_back(file.name);
  const std::string nearest = DidYouMean(name, names);
  throw NotFoundError("model: no model " + Quoted(name) +
                      (nearest.empty() ? "; 'roofcast list models' names all"
                                       : nearest + " ('roofcast list models' names all)"));
}

}  // namespace

Llm LoadLlm(std::string_view name_or_path) {
  const std::string name(name_or_path);
  std::error_code error;
  if (LooksLikePath(name) && fs::exists(name, error)) return LoadPath(name);
  if (LooksLikePath(name) && !IsHubId(name)) return LoadPath(name);  // says what is wrong with it
  if (IsHubId(name)) {
    if (const auto folder = FindInHubCache(name)) {
      return LoadFile(*folder / kConfig, name.substr(name.find('/') + 1));
    }
  }
  const auto files = ListCatalog(CatalogKind::kModels);
  if (auto llm = LoadFromCatalog(name, files)) return *std::move(llm);
  if (IsFile(fs::path(name) / kConfig)) return LoadFolder(name);
  if (IsHubId(name)) {
    throw NotFoundError("model: no model '" + name + "', and neither " +
                        Printable(HubCache().string()) +
                        " nor the working folder has it; download its config.json and give "
                        "the path");
  }
  RefuseName(name, files);
}

}  // namespace roofcast
