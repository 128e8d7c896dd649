// SPDX-License-Identifier: Apache-2.0
#include "models/llm/quantisation/apply.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.h"
#include "models/llm/quantisation/module_names.h"

namespace roofcast::internal {
namespace {

// Patterns that only trying shows the effect of, times the layers to try them on: more than any
// published config by far.
constexpr std::size_t kMostTrials = 20'000;

// A pattern with its effect.
struct Statement {
  const ModulePattern* pattern = nullptr;
  std::int32_t group = -1;  // -1 = left out
  bool used = false;
  bool some_experts = false;
};

struct Verdict {
  bool left_out = false;
  std::int32_t group = -1;
};

class Judge {
 public:
  Judge(const QuantisationRules& rules, const Llm& llm) : rules_(rules), llm_(llm) {
    for (const ModulePattern& pattern : rules.exclusions) statements_.push_back({&pattern, -1});
    for (std::size_t group = 0; group < rules.groups.size(); ++group) {
      for (const ModulePattern& pattern : rules.groups[group].targets) {
        statements_.push_back({&pattern, static_cast<std::int32_t>(group)});
      }
    }
    for (Statement& statement : statements_) {
      if (!statement.pattern->DependsOnLayer()) {
        general_.push_back(&statement);
      } else if (const auto layer = statement.pattern->OnlyLayer()) {
        by_layer_[*layer].push_back(&statement);
      } else {
        tried_.push_back(&statement);
      }
    }
  }

  std::size_t Trials() const {
    const auto patterns = std::count_if(general_.begin(), general_.end(), [](const auto* each) {
      return !each->pattern->IsPlain();
    });
    // One of those that hold in every layer is tried on each kind: reckoned as ten layers.
    return tried_.size() * llm_.layers.size() + 10 * static_cast<std::size_t>(patterns);
  }
  const std::vector<Statement>& statements() const { return statements_; }

  std::optional<std::int32_t> FormatOf(std::int64_t layer, const Tensor& tensor) {
    if (layer < 0) return tensor.name == "head" ? FormatOfHead() : std::nullopt;
    if (!IsQuantisable(tensor)) return std::nullopt;
    Verdict verdict = General(tensor);
    if (const auto found = by_layer_.find(layer); found != by_layer_.end()) {
      Hear(found->second, layer, tensor, verdict);
    }
    Hear(tried_, layer, tensor, verdict);
    return Decide(verdict, !rules_.experts_only || tensor.part == Part::kExperts);
  }

 private:
  std::optional<std::int32_t> Decide(const Verdict& verdict, bool covered) const {
    if (verdict.left_out) return std::nullopt;
    if (verdict.group >= 0) return verdict.group;
    for (std::size_t group = 0; covered && group < rules_.groups.size(); ++group) {
      if (rules_.groups[group].all) return static_cast<std::int32_t>(group);
    }
    return std::nullopt;
  }

  // What holds in every layer is worked out once a tensor.
  Verdict General(const Tensor& tensor) {
    const auto key = std::make_tuple(tensor.part, tensor.name, tensor.count);
    if (const auto found = heard_.find(key); found != heard_.end()) return found->second;
    Verdict verdict;
    Hear(general_, 0, tensor, verdict);
    heard_[key] = verdict;
    return verdict;
  }

  static void Hear(const std::vector<Statement*>& statements,
                   std::int64_t layer,
                   const Tensor& tensor,
                   Verdict& verdict) {
    for (Statement* statement : statements) {
      const ModulePattern::Match match = statement->pattern->Matches(layer, tensor);
      if (match == ModulePattern::Match::kNone) continue;
      statement->used = true;
      statement->some_experts |= match == ModulePattern::Match::kSomeExperts;
      if (statement->group < 0) {
        verdict.left_out = true;
      } else if (verdict.group < 0 || statement->group < verdict.group) {
        verdict.group = statement->group;
      }
    }
  }

  std::optional<std::int32_t> FormatOfHead() {
    Verdict verdict;
    for (Statement& statement : statements_) {
      if (!statement.pattern->Matches("lm_head")) continue;
      statement.used = true;
      if (statement.group < 0) verdict.left_out = true;
      if (statement.group >= 0) verdict.group = statement.group;
    }
    return Decide(verdict, rules_.with_head);
  }

  const QuantisationRules& rules_;
  const Llm& llm_;
  std::vector<Statement> statements_;
  std::vector<Statement*> general_;
  std::map<std::int64_t, std::vector<Statement*>> by_layer_;
  std::vector<Statement*> tried_;
  std::map<std::tuple<Part, std::string_view, std::int64_t>, Verdict> heard_;
};

// What no tensor of the model answers to.
void RefuseUnused(const QuantisationRules& rules,
                  const Judge& judge,
                  ConfigReader& config,
                  const Llm& llm) {
  std::vector<std::string> unknown;
  for (const Statement& statement : judge.statements()) {
    const ModulePattern& pattern = *statement.pattern;
    const bool target = statement.group >= 0;
    ConfigReader* group =
        target ? rules.groups[static_cast<std::size_t>(statement.group)].reader : nullptr;
    ConfigReader& reader = group == nullptr ? config : *group;
    if (statement.some_experts) {
      reader.Complain(target ? "" : rules.exclusions_key,
                      Quoted(pattern.text()) + " means some experts of a layer",
                      "name all of them or none");
    } else if (target && !statement.used && !pattern.IsBeyond(llm.LayerCount())) {
      reader.Complain("", "no matrix of the model is named " + Quoted(pattern.text()), "");
    } else if (!target && !statement.used && !NeverQuantised(pattern.text()) &&
               !pattern.IsBeyond(llm.LayerCount())) {
      unknown.push_back(pattern.text());
    }
  }
  if (unknown.empty()) return;
  const std::string others =
      unknown.size() == 1 ? "" : " and " + std::to_string(unknown.size() - 1) + " more";
  config.Complain(rules.exclusions_key,
                  "leaving out " + Quoted(unknown[0]) + others + " is not understood",
                  "");
}

// Groups of inputs have to be whole, as the quantising tools demand.
void CheckGroups(const QuantisationRules& rules, ConfigReader& config, const Llm& llm) {
  std::vector<bool> told(rules.groups.size(), false);
  const auto check = [&](const Tensor& tensor) {
    const MatrixFormat* format = FormatOf(llm, tensor);
    if (format == nullptr || !format->whole_groups || format->block_columns == 0) return;
    if (tensor.inputs % format->block_columns == 0) return;
    const auto index = static_cast<std::size_t>(format - llm.quantisation->formats.data());
    if (told[index]) return;
    told[index] = true;
    ConfigReader* reader = rules.groups[index].reader;
    (reader == nullptr ? config : *reader)
        .Complain("group_size",
                  std::to_string(format->block_columns) + " does not divide the " +
                      std::to_string(tensor.inputs) + " inputs of " +
                      Quoted(std::string(tensor.name)) + " (" + std::string(NameOf(tensor.part)) +
                      ")",
                  "");
  };
  for (const Layer& layer : llm.kinds) {
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) check(tensor);
  }
  for (const Tensor& tensor : HeadTensors(llm)) check(tensor);
}

// The format of the most parameters.
std::int32_t MainFormat(const Quantisation& quantisation, const Llm& llm) {
  std::vector<double> parameters(quantisation.formats.size(), 0);
  const std::vector<std::int64_t> counts = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    for (const Tensor& tensor : LayerTensors(llm.kinds[kind], llm.hidden)) {
      const MatrixFormat* format = quantisation.FormatOf(tensor.storage, tensor.part, tensor.name);
      if (format == nullptr) continue;
      parameters[static_cast<std::size_t>(format - quantisation.formats.data())] +=
          static_cast<double>(tensor.Parameters()) * static_cast<double>(counts[kind]);
    }
  }
  return static_cast<std::int32_t>(std::max_element(parameters.begin(), parameters.end()) -
                                   parameters.begin());
}

}  // namespace

void StoreBy(Quantisation quantisation, const ChooseFormat& format, Llm& llm) {
  std::vector<std::vector<Quantisation::Choice>>& choices = quantisation.choices;
  const auto choose = [&](std::int64_t layer, const std::vector<Tensor>& tensors) {
    std::vector<Quantisation::Choice> choice;
    for (const Tensor& tensor : tensors) {
      if (const auto index = format(layer, tensor)) {
        choice.push_back({tensor.part, tensor.name, *index});
      }
    }
    return choice;
  };
  // 0: the ends of the model.
  std::vector<Tensor> ends = EmbeddingTensors(llm);
  for (const Tensor& tensor : HeadTensors(llm)) ends.push_back(tensor);
  choices = {choose(-1, ends)};
  std::map<std::vector<Quantisation::Choice>, std::int32_t> known;
  const auto index_of = [&](std::int64_t layer, const std::vector<Tensor>& tensors) {
    const auto next = static_cast<std::int32_t>(choices.size());
    const auto [found, added] = known.try_emplace(choose(layer, tensors), next);
    if (added) choices.push_back(found->first);
    return found->second;
  };

  std::vector<std::vector<Tensor>> tensors;
  tensors.reserve(llm.kinds.size());
  for (const Layer& kind : llm.kinds) tensors.push_back(LayerTensors(kind, llm.hidden));
  std::vector<Layer> kinds;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> renamed;  // of kind and storage
  std::vector<std::int32_t> layers;
  layers.reserve(llm.layers.size());
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    const std::int32_t kind = llm.layers[static_cast<std::size_t>(i)];
    const std::int32_t storage = index_of(i, tensors[static_cast<std::size_t>(kind)]);
    const auto [found, added] =
        renamed.try_emplace({kind, storage}, static_cast<std::int32_t>(kinds.size()));
    if (added) {
      kinds.push_back(llm.kinds[static_cast<std::size_t>(kind)]);
      kinds.back().storage = storage;
    }
    layers.push_back(found->second);
  }
  // The layers of MTP modules are numbered after those of the backbone.
  std::vector<Tensor> of_mtp;
  for (const Layer& layer : llm.mtp_layers) {
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) of_mtp.push_back(tensor);
  }
  llm.mtp_storage = index_of(llm.LayerCount(), of_mtp);
  llm.kinds = std::move(kinds);
  llm.layers = std::move(layers);
  quantisation.main = MainFormat(quantisation, llm);
  llm.quantisation = std::move(quantisation);
}

void ApplyRules(const QuantisationRules& rules, ConfigReader& config, Llm& llm) {
  Judge judge(rules, llm);
  if (judge.Trials() > kMostTrials) {
    config.Complain(rules.exclusions_key, "more patterns than are tried on so many layers", "");
    return;
  }
  Quantisation quantisation;
  quantisation.method = rules.method;
  quantisation.kv = rules.kv;
  for (const RuleGroup& group : rules.groups) quantisation.formats.push_back(group.format);
  if (quantisation.formats.empty()) return;
  StoreBy(
      std::move(quantisation),
      [&](std::int64_t layer, const Tensor& tensor) { return judge.FormatOf(layer, tensor); },
      llm);
  RefuseUnused(rules, judge, config, llm);
  CheckGroups(rules, config, llm);
  const bool narrow_head = llm.quantisation->FormatOf(0, Part::kHead, "head") != nullptr;
  if (narrow_head && llm.tied_embeddings) {
    config.Complain(rules.exclusions_key,
                    "a quantised lm_head that is the token table is not understood",
                    "name lm_head here if it is not quantised");
  }
}

}  // namespace roofcast::internal
