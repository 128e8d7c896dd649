// SPDX-License-Identifier: Apache-2.0
#include "models/llm/language_model.h"

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "models/llm/config.h"
#include "models/llm/config_keys.h"

namespace roofcast {
namespace {

constexpr std::string_view kType = "model_type";

const Family* FamilyNamed(std::string_view type) {
  for (const Family& family : kFamilies) {
    if (family.model_type == type) return &family;
  }
  return nullptr;
}

// Why a type that we know is not modelled; "" when we don't know it.
std::string_view ReasonAgainst(std::string_view type) {
  for (const RefusedFamily& refused : kRefusedFamilies) {
    if (refused.model_type == type) return refused.reason;
  }
  return "";
}

struct Refusal {
  std::string text;
  std::string cure;
};

Refusal RefusalOf(const ConfigNode& type, const std::vector<std::string>& known) {
  if (const std::string_view reason = ReasonAgainst(type.text); !reason.empty()) {
    return {Quoted(type) + " is not understood: " + std::string(reason), ""};
  }
  return {Quoted(type) + " is not understood", known.empty() ? "" : "known: " + JoinWithOr(known)};
}

std::vector<std::string> LanguageModelTypes() {
  std::vector<std::string> types;
  for (const Family& family : kFamilies) {
    if (!family.wrapper) types.emplace_back(family.model_type);
  }
  return types;
}

// The family of a nested object, or nullptr and a problem.
const Family* InnerFamily(ConfigReader& text, const Wrapper& wrapper, bool nested) {
  const ConfigNode* type = nested ? text.Find(kType) : nullptr;
  const bool given = type != nullptr && !type->IsNull();
  if (!given && wrapper.inner.empty()) {
    text.Missing(kType, "known: " + JoinWithOr(LanguageModelTypes()));
    return nullptr;
  }
  ConfigNode wanted;
  wanted.kind = ConfigNode::Kind::kText;
  wanted.text = wrapper.inner;
  if (given) wanted = *type;
  const bool fits = wrapper.any_inner || wanted.text == wrapper.inner;
  const Family* family =
      wanted.kind == ConfigNode::Kind::kText ? FamilyNamed(wanted.text) : nullptr;
  if (fits && family != nullptr && !family->wrapper) return family;
  std::vector<std::string> known = LanguageModelTypes();
  if (!wrapper.any_inner)
    std::erase_if(known, [&](const auto& one) { return one != wrapper.inner; });
  Refusal refusal = RefusalOf(wanted, known);
  if (given) {
    text.ComplainAt(*type, kType, std::move(refusal.text), std::move(refusal.cure));
  } else {
    text.Missing(kType, std::move(refusal.cure));
  }
  return nullptr;
}

bool Same(const ConfigNode& a, const ConfigNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
      a.entries.size() != b.entries.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!Same(a.items[i], b.items[i])) return false;
  }
  for (const ConfigNode::Entry& entry : a.entries) {
    const ConfigNode* other = b.Find(entry.key);
    if (other == nullptr || !Same(entry.value, *other)) return false;
  }
  return true;
}

// Some tools repeat keys of the language model at the top. Where the levels may differ, or one is
// read before the other, the reader of that key says so.
void CheckRepeated(ConfigReader& top, const ConfigReader& text) {
  for (const ConfigNode::Entry& entry : top.map().entries) {
    if (entry.key == "tie_word_embeddings" || !MayShapeTheModel(entry.key)) continue;
    const ConfigNode* inner = text.map().Find(entry.key);
    if (inner == nullptr) continue;
    top.Ignore({entry.key});
    if (Same(entry.value, *inner) || entry.value.IsNull()) continue;
    top.ComplainAt(
        entry.value,
        entry.key,
        Quoted(entry.value) + " contradicts the language model's, which is " + Quoted(*inner),
        "keep one of them");
  }
}

}  // namespace

const Family& FindFamily(const ConfigNode& root, const std::string& file) {
  const ConfigNode* type = root.Find(kType);
  const auto refuse = [&](const ConfigNode& node, std::string key, Refusal refusal) {
    throw SpecError({{{file, node.line, node.column},
                      std::move(key),
                      std::move(refusal.text),
                      std::move(refusal.cure)}});
  };
  if (type == nullptr) {
    refuse(root, "", {"'model_type' is missing", "known: " + JoinWithOr(KnownModelTypes())});
  }
  const Family* family = type->kind == ConfigNode::Kind::kText ? FamilyNamed(type->text) : nullptr;
  if (family == nullptr) {
    refuse(*type, std::string(kType), RefusalOf(*type, KnownModelTypes()));
  }
  return *family;
}

LanguageModel FindLanguageModel(ConfigReader& top, const Family& family) {
  if (!family.wrapper) return {&top, &family};
  const Wrapper& wrapper = *family.wrapper;
  const bool nested = top.Given(wrapper.nest) || !wrapper.may_be_flat;
  ConfigReader* text = nested ? top.Inside(wrapper.nest) : &top;
  if (text == nullptr) return {};
  const Family* inner = InnerFamily(*text, wrapper, nested);
  if (inner == nullptr) return {};
  if (nested) CheckRepeated(top, *text);
  return {text, inner};
}

}  // namespace roofcast
