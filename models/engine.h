// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/source.h"
#include "models/admission_rule.h"
#include "models/training_rule.h"

namespace roofcast {

class SpecReader;
class YamlNode;

// What the software that runs a model decides: how a serving engine admits requests to its KV
// cache, what a training framework keeps beside the model's tensors. One YAML of models/engines/
// for each generation of each of them; an engine has the blocks that apply to it.
struct Engine {
  std::string name;
  std::string title;
  std::vector<std::string> aliases;
  std::optional<AdmissionRule> admission;
  std::optional<TrainingRule> training;

  Sources sources;
  std::string file;  // where it was read

  // That shares are at most 1 and versions are versions.
  void Check(SpecReader& reader) const;

  template <class V>
  static void Fields(V& v) {
    v("name", &Engine::name, "kebab-case; the file is called the same with '_'");
    v("title", &Engine::title, "the product and the versions that it stands for");
    v("aliases", &Engine::aliases, "other names of the same");
    v("admission", &Engine::admission, "serving: how memory becomes KV cache");
    v("training", &Engine::training, "what a training run keeps in memory");
  }
};

// By name or alias (built in or on the search path) or path. Throws NotFoundError, SpecError.
Engine LoadEngine(std::string_view name);
// The engine of that name, or of that product where its rule holds for the version ("0.19",
// "0.8.5").
Engine LoadEngine(std::string_view name, std::string_view version);
// Whether a YAML file is meant as an engine: it has one of the blocks that only engines have.
bool HoldsEngine(const YamlNode& node);
// Names of all engines, without their aliases.
std::vector<std::string> EngineNames();

}  // namespace roofcast
