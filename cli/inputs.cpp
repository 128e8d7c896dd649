// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/run.h"
#include "core/catalog.h"
#include "core/text.h"

namespace roofcast::cli {
namespace {

namespace fs = std::filesystem;

// Files that a name or path may stand for.
void AddSpec(const std::string& name, std::vector<std::string>& inputs) {
  if (name.empty()) return;
  if (LooksLikePath(name)) {
    inputs.push_back(name);
    return;
  }
  constexpr std::array kKinds = {CatalogKind::kAccelerators,
                                 CatalogKind::kLinks,
                                 CatalogKind::kClusters,
                                 CatalogKind::kModels,
                                 CatalogKind::kFits,
                                 CatalogKind::kEngines};
  for (const CatalogKind kind : kKinds) {
    for (const CatalogFile& file : ListCatalog(kind)) {
      const bool is_meant = NormaliseName(file.name) == NormaliseName(name);
      if (is_meant && !file.built_in) inputs.push_back(file.place);
    }
  }
}

// A model's folder, and what lies beside its config.
void AddModel(const std::string& name, std::vector<std::string>& inputs) {
  if (name.empty()) return;
  AddSpec(name, inputs);
  const fs::path path(name);
  constexpr std::string_view kQuantisation = "hf_quant_config.json";
  inputs.push_back((path / "config.json").string());
  inputs.push_back((path / kQuantisation).string());
  if (LooksLikePath(name)) inputs.push_back((path.parent_path() / kQuantisation).string());
}

}  // namespace

std::vector<std::string> InputsOf(const Verb& verb, const Arguments& arguments) {
  std::vector<std::string> inputs;
  std::error_code error;
  if (!fs::exists(arguments.Get("output"), error)) return inputs;
  AddModel(arguments.Get("model"), inputs);
  const std::string cluster = arguments.Get("cluster");
  AddSpec(cluster, inputs);
  AddSpec(cluster.substr(0, cluster.rfind(':')), inputs);
  AddSpec(arguments.Get("fits"), inputs);
  AddSpec(arguments.Get("engine"), inputs);
  if (arguments.Has("engine-log")) inputs.push_back(arguments.Get("engine-log"));
  if (verb.name == "show") {
    for (const std::string& name : arguments.names) AddModel(name, inputs);
  }
  if (verb.name == "validate") {
    inputs.insert(inputs.end(), arguments.names.begin(), arguments.names.end());
  }
  return inputs;
}

}  // namespace roofcast::cli
